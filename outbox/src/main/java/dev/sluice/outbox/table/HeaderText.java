package dev.sluice.outbox.table;

import dev.sluice.deliver.JsonText;
import dev.sluice.model.InvalidInputException;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Headers as they are stored: one flat JSON object, or nothing. */
public final class HeaderText {
    private HeaderText() {}

    /** @return null for none */
    public static @Nullable String of(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        StringBuilder json = new StringBuilder("{");
        headers.forEach((name, value) -> {
            json.append(json.length() == 1 ? "" : ",");
            JsonText.quote(name, json);
            json.append(':');
            JsonText.quote(value, json);
        });
        return json.append('}').toString();
    }

    /**
     * Values that are no texts are left as the JSON they are. What cannot be read does no harm here, so that one bad row
     * does not stop all others: whoever looks into such headers gets an InvalidInputException.
     */
    public static Map<String, String> read(@Nullable String json) {
        if (json == null || json.isEmpty()) {
            return Map.of();
        }
        try {
            return new HeaderParser(json).headers();
        } catch (InvalidInputException unreadable) {
            return new Unreadable(unreadable);
        }
    }

    /** Why such headers cannot be looked into: a row with them can never be sent. Empty for all others. */
    public static Optional<String> whyUnreadable(Map<String, String> headers) {
        return headers instanceof Unreadable unreadable
                ? Optional.of(String.valueOf(unreadable.why.getMessage()))
                : Optional.empty();
    }

    /** In place of the headers of a row that can never be sent, for this reason. */
    static Map<String, String> unreadable(String why) {
        return new Unreadable(new InvalidInputException(why));
    }

    private static final class Unreadable extends AbstractMap<String, String> {
        private final InvalidInputException why;

        Unreadable(InvalidInputException why) {
            this.why = why;
        }

        @Override
        public Set<Entry<String, String>> entrySet() {
            throw why;
        }
    }
}
