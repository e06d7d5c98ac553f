package dev.sluice.server.config.yaml;

/** A piece of the file as it may appear in a message: passwords masked, no control characters, not too long. */
final class Quote {

    private static final int MOST = 60;

    private Quote() {}

    static String of(String text) {
        var start = text.substring(0, Math.min(text.length(), 4096));
        var clean = Secret.mask(start).replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
        return clean.length() <= MOST ? clean : clean.substring(0, MOST) + "...";
    }
}
