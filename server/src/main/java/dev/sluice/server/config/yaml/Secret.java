package dev.sluice.server.config.yaml;

import java.util.regex.Pattern;

/** A value that may be used but not shown: printing it, alone or inside another record, shows {@code ***}. */
public record Secret(String reveal) {

    /** Everything between a scheme and the last @: a password may hold any character, also another @. */
    private static final Pattern USER_INFO = Pattern.compile("(?s)(\\S*?:/*).*@");

    /** A port that is none: a password cut off before its @, as by an unquoted # in YAML. */
    private static final Pattern CUT_OFF = Pattern.compile("(?s)(://(?!\\[)[^/:@\\s]*):(?!\\d{1,5}(?:[/,?;]|$)).*");

    private static final Pattern PARAMETER =
            Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)\\w*\\s*[=:]\\s*)[^&;,\\s]+");

    public static Secret parse(String text) {
        return new Secret(text);
    }

    /** Any text with what looks like a password in it replaced: for messages that must quote the file. */
    public static String mask(String text) {
        var withoutUser = USER_INFO.matcher(text).replaceFirst("$1***@");
        var withoutRest = CUT_OFF.matcher(withoutUser).replaceFirst("$1:***");
        return PARAMETER.matcher(withoutRest).replaceAll("$1***");
    }

    @Override
    public String toString() {
        return "***";
    }
}
