package dev.sluice.server.config.yaml;

import java.util.regex.Pattern;

/** A value that may be used but not shown: printing it, alone or inside another record, shows {@code ***}. */
public record Secret(String reveal) {

    private static final Pattern USER_INFO = Pattern.compile("(//[^/:@\\s]*):.*@");
    private static final Pattern PARAMETER =
            Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)\\w*\\s*[=:]\\s*)[^&;,\\s]+");

    public static Secret parse(String text) {
        return new Secret(text);
    }

    /** Any text with what looks like a password in it replaced: for messages that must quote the file. */
    public static String mask(String text) {
        return PARAMETER.matcher(USER_INFO.matcher(text).replaceAll("$1:***@")).replaceAll("$1***");
    }

    @Override
    public String toString() {
        return "***";
    }
}
