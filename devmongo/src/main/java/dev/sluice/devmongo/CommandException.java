package dev.sluice.devmongo;

import java.util.List;

/**
 * A command that failed the way MongoDB would fail it: what the reply says with {@code ok: 0}, its code, the code's
 * name and the error labels.
 */
public final class CommandException extends RuntimeException {
    private final int code;
    private final String codeName;
    private final List<String> errorLabels;

    public CommandException(int code, String codeName, String message, List<String> errorLabels) {
        super(message);
        this.code = code;
        this.codeName = codeName;
        this.errorLabels = List.copyOf(errorLabels);
    }

    public CommandException(int code, String codeName, String message) {
        this(code, codeName, message, List.of());
    }

    /** An error that has a number but no name of its own, as MongoDB writes it: {@code Location40324}. */
    public static CommandException location(int code, String message) {
        return new CommandException(code, "Location" + code, message);
    }

    public static CommandException badValue(String message) {
        return new CommandException(2, "BadValue", message);
    }

    public static CommandException failedToParse(String message) {
        return new CommandException(9, "FailedToParse", message);
    }

    public static CommandException typeMismatch(String message) {
        return new CommandException(14, "TypeMismatch", message);
    }

    /** Whether the server stopped the whole command, rather than one statement of it being wrong. */
    public boolean interruption() {
        return code >= 11600 && code <= 11602;
    }

    public int code() {
        return code;
    }

    public String codeName() {
        return codeName;
    }

    /** The message as the reply's {@code errmsg} carries it. */
    public String message() {
        return String.valueOf(getMessage());
    }

    public List<String> errorLabels() {
        return errorLabels;
    }
}
