package dev.sluice.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an outbox under test is told, on its command line as {@code name=value}. */
public record OutboxSettings(Map<String, String> values) {
    static OutboxSettings parse(List<String> words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int sign = word.indexOf('=');
            values.put(word.substring(0, sign), word.substring(sign + 1));
        }
        return new OutboxSettings(values);
    }

    public String jdbc() {
        return text("jdbc");
    }

    public String bootstrap() {
        return text("bootstrap");
    }

    public String topic() {
        return text("topic");
    }

    public int number(String name) {
        return Integer.parseInt(text(name));
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the outbox under test is not told its " + name);
        }
        return value;
    }

    /** The same for all: a message is sent when every replica has it, and never twice by a retry. */
    public Map<String, Object> producer(int lingerMillis) {
        return Map.of(
                "bootstrap.servers",
                bootstrap(),
                "acks",
                "all",
                "enable.idempotence",
                true,
                "linger.ms",
                lingerMillis,
                "batch.size",
                128 << 10,
                "buffer.memory",
                64L << 20);
    }
}
