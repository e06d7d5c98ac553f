package dev.sluice.outbox;

import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One message, published after the transaction it is written in has committed. Messages of one key come out in order.
 *
 * @param topic where to, such as a Kafka topic
 * @param key what is kept in order, such as the id of an aggregate
 * @param type what happened, for the receiver; may be empty
 * @param headers carried along, trace context included
 * @param priority above 0: keys that have such messages go first; rows of one key never overtake each other
 */
@SuppressWarnings("ArrayRecordComponent") // Messages are carried, never compared.
public record OutboxMessage(
        String topic, String key, String type, byte[] payload, Map<String, String> headers, int priority) {
    private static final int LONGEST_NAME = 255;
    private static final int MOST_PRIORITY = 9;
    public static final String CONTENT_TYPE = "content-type";

    public OutboxMessage {
        requireName("topic", topic);
        requireName("key", key);
        if (type.length() > LONGEST_NAME) {
            throw new InvalidInputException("an outbox message's type has at most " + LONGEST_NAME + " characters");
        }
        requireStorable("type", type);
        if (priority < 0 || priority > MOST_PRIORITY) {
            throw new InvalidInputException(
                    "an outbox message's priority is 0 to " + MOST_PRIORITY + ", not " + priority);
        }
        headers = Map.copyOf(headers);
    }

    private static void requireName(String what, String name) {
        if (name.isEmpty() || name.length() > LONGEST_NAME) {
            throw new InvalidInputException(
                    "an outbox message's " + what + " has 1 to " + LONGEST_NAME + " characters, not " + name.length());
        }
        requireStorable(what, name);
    }

    /** A database would refuse it, or change it, and then two keys could become one. */
    private static void requireStorable(String what, String text) {
        if (text.indexOf('\0') >= 0
                || text.codePoints().anyMatch(point -> Character.getType(point) == Character.SURROGATE)) {
            throw new InvalidInputException("an outbox message's " + what
                    + " has neither zero characters nor halves of surrogate pairs, unlike "
                    + InvalidInputException.quote(text));
        }
    }

    public static Builder to(String topic) {
        return new Builder(topic);
    }

    /** Collects what a message has. */
    public static final class Builder {
        private final String topic;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private String key = "";
        private String type = "";
        private byte[] payload = {};
        private int priority;

        private Builder(String topic) {
            this.topic = topic;
        }

        public Builder key(String newKey) {
            key = newKey;
            return this;
        }

        public Builder type(String newType) {
            type = newType;
            return this;
        }

        public Builder payload(byte[] bytes) {
            payload = bytes.clone();
            return this;
        }

        public Builder json(String text) {
            payload = text.getBytes(StandardCharsets.UTF_8);
            return header(CONTENT_TYPE, "application/json");
        }

        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        public Builder priority(int newPriority) {
            priority = newPriority;
            return this;
        }

        public OutboxMessage build() {
            return new OutboxMessage(topic, key, type, payload, headers, priority);
        }
    }
}
