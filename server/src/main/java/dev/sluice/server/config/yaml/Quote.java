package dev.sluice.server.config.yaml;

/** A piece of the file as it may appear in a message: passwords masked, no control characters, not too long. */
final class Quote {

    private static final int MOST = 60;

    private Quote() {}

    static String onOneLine(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
    }

    static String of(String text) {
        var start = text.substring(0, Math.min(text.length(), 4096));
        var clean = onOneLine(Secret.mask(start));
        return clean.length() <= MOST ? clean : clean.substring(0, MOST) + "...";
    }
}
