package dev.sluice.nats;

import dev.sluice.model.InvalidInputException;
import java.util.regex.Pattern;

/** Where a gateway takes its events: {@code sluice.streamer.events.{gateway}}. */
public final class EventSubject {
    private static final String ROOT = "sluice.streamer.events.";
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e&&[^.*>]]{1,200}");

    private EventSubject() {}

    /** @throws InvalidInputException when the id, as a part of a subject, would mean more than itself */
    public static String of(String gatewayId) {
        if (!TOKEN.matcher(gatewayId).matches()) {
            throw new InvalidInputException(
                    "gateway id " + InvalidInputException.quote(gatewayId)
                            + " cannot be part of a NATS subject: use up to 200 printable ASCII characters, no spaces, dots, * or >");
        }
        return ROOT + gatewayId;
    }
}
