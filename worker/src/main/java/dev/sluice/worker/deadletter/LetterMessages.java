package dev.sluice.worker.deadletter;

import dev.sluice.worker.stream.JetStreamApi;
import dev.sluice.worker.stream.StreamRefusedException;
import io.nats.client.impl.Headers;
import io.nats.client.support.IncomingHeadersProcessor;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads and deletes the letters of one group in their stream, always at the stream's leader. */
record LetterMessages(JetStreamApi api, DeadLetterStream stream, String group) {
    private static final int NO_MESSAGE = 10037;

    Optional<StoredLetter> of(LetterId id) {
        return read("{\"last_by_subj\":\"" + stream.subject(group, id) + "\"}").map(this::letter);
    }

    /** The first letter behind a position. Messages that others have published there are passed over. */
    Optional<StoredLetter> next(long after) {
        long at = after;
        while (true) {
            Optional<JsonValue> message = read(JsonValueUtils.mapBuilder()
                    .put("seq", at + 1)
                    .put("next_by_subj", stream.filter(group))
                    .toJson());
            if (message.isEmpty() || LetterId.isId(idText(message.get()))) {
                return message.map(this::letter);
            }
            at = JsonValueUtils.readLong(message.get(), "seq", Long.MAX_VALUE - 1);
        }
    }

    private Optional<JsonValue> read(String which) {
        try {
            JsonValue answer = api.request("STREAM.MSG.GET." + stream.name(), which);
            return Optional.of(JsonValueUtils.readObject(answer, "message"));
        } catch (StreamRefusedException refused) {
            if (refused.code() == NO_MESSAGE) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    private String idText(JsonValue message) {
        return JsonValueUtils.readString(message, "subject", "")
                .substring(stream.filter(group).length() - 1);
    }

    private StoredLetter letter(JsonValue message) {
        LetterId id = LetterId.of(idText(message));
        Map<String, List<String>> headers = headers(JsonValueUtils.readString(message, "hdrs", ""));
        byte[] body = Base64.getDecoder().decode(JsonValueUtils.readString(message, "data", ""));
        Instant storedAt = Instant.parse(JsonValueUtils.readString(message, "time", Instant.EPOCH.toString()));
        return new StoredLetter(
                LetterForm.read(id, headers, body), JsonValueUtils.readLong(message, "seq", 0), storedAt);
    }

    private static Map<String, List<String>> headers(String encoded) {
        if (encoded.isEmpty()) {
            return Map.of();
        }
        Headers headers = new IncomingHeadersProcessor(Base64.getDecoder().decode(encoded)).getHeaders();
        return headers == null ? Map.of() : headers.toMap();
    }

    /** Deletes exactly the letter that was read; false when it is gone already. */
    boolean delete(StoredLetter letter) {
        String which = JsonValueUtils.mapBuilder()
                .put("seq", letter.position())
                .put("no_erase", true)
                .toJson();
        try {
            api.request("STREAM.MSG.DELETE." + stream.name(), which);
            return true;
        } catch (StreamRefusedException refused) {
            boolean gone = of(letter.id())
                    .filter(now -> now.position() == letter.position())
                    .isEmpty();
            if (gone) {
                return false;
            }
            throw refused;
        }
    }
}
