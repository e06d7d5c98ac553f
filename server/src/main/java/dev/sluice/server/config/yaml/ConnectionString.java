package dev.sluice.server.config.yaml;

/** A database or broker address that may carry a password: {@code toString} shows it without. */
public record ConnectionString(String reveal) {

    /** @throws IllegalArgumentException when there is no scheme; the message holds nothing of the text */
    public static ConnectionString parse(String text) {
        if (!text.matches("(?s)[a-zA-Z][a-zA-Z0-9+.:-]*:.+") || text.isBlank()) {
            throw new IllegalArgumentException(
                    "is not a connection string; write scheme://host:port, as in mongodb://127.0.0.1:27017");
        }
        return new ConnectionString(text);
    }

    /** Whether it starts so, as in {@code mongodb://} or {@code jdbc:}. */
    public boolean startsWith(String scheme) {
        return reveal.startsWith(scheme);
    }

    @Override
    public String toString() {
        return Secret.mask(reveal);
    }
}
