package dev.sluice.deliver;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Words from outside, fit to be kept: short, on one line. */
public final class Reason {
    private static final int LONGEST = 400;

    private Reason() {}

    public static String brief(String text) {
        String cut = text.length() <= LONGEST ? text : text.substring(0, wholeCharacters(text)) + "…";
        return cut.replaceAll("\\p{Cntrl}+", " ").strip();
    }

    private static int wholeCharacters(String text) {
        return Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    }

    /** What went wrong, whoever wrapped it. */
    public static String of(Throwable failed) {
        Throwable said = failed;
        while ((said instanceof ExecutionException || said instanceof CompletionException) && said.getCause() != null) {
            said = said.getCause();
        }
        String message = said.getMessage();
        String name = said.getClass().getSimpleName();
        if (message == null || message.isBlank()) {
            return brief(name);
        }
        // The message of an Error is often no more than the name of a class.
        return brief(said instanceof Error ? name + ": " + message : message);
    }
}
