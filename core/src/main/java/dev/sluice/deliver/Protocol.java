package dev.sluice.deliver;

import dev.sluice.model.InvalidInputException;
import java.util.Locale;

/** How a gateway is reached. */
public enum Protocol {
    HTTP,
    GRPC,
    NATS,
    KAFKA;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Protocol parse(String text) {
        for (Protocol protocol : values()) {
            if (protocol.text().equals(text)) {
                return protocol;
            }
        }
        throw new InvalidInputException(
                "protocol " + InvalidInputException.quote(text) + " is not one of http, grpc, nats, kafka");
    }
}
