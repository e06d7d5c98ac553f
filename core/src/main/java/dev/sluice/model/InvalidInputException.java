package dev.sluice.model;

/**
 * Text or bytes from outside that cannot be what they claim to be. The message is one sentence for the person who
 * sent them; servers pass it on as it is (INVALID_ARGUMENT, 400).
 */
public final class InvalidInputException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 60;

    public InvalidInputException(String reason) {
        super(reason);
    }

    /** The offending text in quotes, cut and stripped of control characters, so that it is safe to print. */
    public static String quote(String text) {
        String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
        return '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"';
    }
}
