package dev.sluice.server.cli;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** One sentence about a failure: state, cause, remedy. The message of a file's exception is often the bare path. */
final class FailureText {
    private FailureText() {}

    static String of(Throwable failure) {
        var cause = failure instanceof UncheckedIOException ? failure.getCause() : null;
        var thrown = cause == null ? failure : cause;
        if (thrown instanceof FileSystemException file) {
            return ofFile(file);
        }
        var message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
        return message.lines().findFirst().orElse("failed");
    }

    private static String ofFile(FileSystemException failure) {
        var user = System.getProperty("user.name");
        return "cannot use " + failure.getFile()
                + switch (failure) {
                    case AccessDeniedException denied ->
                        ": permission denied; let user " + user + " read and write it, or name another directory";
                    case FileAlreadyExistsException exists ->
                        ": it is a file, not a directory; name a directory, or one that is still to be made";
                    case NoSuchFileException absent ->
                        ": it does not exist and cannot be made; name a directory whose parent user " + user
                                + " may write to";
                    default ->
                        ": " + reason(failure.getReason()) + "; name a directory that user " + user
                                + " can read and write";
                };
    }

    private static String reason(@Nullable String reason) {
        return reason == null ? "the operating system refuses it" : reason;
    }
}
