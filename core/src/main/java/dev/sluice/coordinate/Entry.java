package dev.sluice.coordinate;

import java.nio.charset.StandardCharsets;

/** A value with the revision it was written under. */
public record Entry(String key, byte[] value, long revision) {
    public String text() {
        return new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return key + '@' + revision + '=' + text();
    }
}
