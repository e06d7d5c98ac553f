package dev.sluice.rocksdb;

import dev.sluice.log.DamagedLogException;
import dev.sluice.log.EventLogException;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.log.NoSpaceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** What RocksDB's errors mean to whoever runs the log, in one sentence with the way out. */
final class RocksFaults {
    private static final Pattern FILE =
            Pattern.compile("\\d{6,}\\.(?:sst|log|blob|ldb)|MANIFEST-\\d+|CURRENT|OPTIONS-\\d+|IDENTITY");
    private static final String WAY_OUT =
            " Restore the directory from a backup, or move it away and start again: capture then fills a new log from"
                    + " the source, as far back as its history reaches.";

    private RocksFaults() {}

    static EventLogException of(Path directory, RocksDBException e) {
        Status.Code code =
                e.getStatus() == null ? Status.Code.Undefined : e.getStatus().getCode();
        String message = String.valueOf(e.getMessage());
        if (isNoSpace(e, message)) {
            return new NoSpaceException("The disk of " + directory + " is full: free some space.", e);
        }
        if (RocksStore.isStall(e)) {
            return new NoSpaceException(
                    "The disk of " + directory
                            + " does not take what is written: free some space, or see why it is slow.",
                    e);
        }
        if (message.contains("/LOCK")) {
            return new LogUnavailableException(
                    "The event log in " + directory + " is in use by another process: stop that one, or configure"
                            + " another puller.buffer.path.",
                    e);
        }
        return switch (code) {
            case Corruption, NotFound, InvalidArgument, NotSupported -> damaged(directory, message, e);
            case IOError ->
                isMissingFile(message) ? damaged(directory, message, e) : unavailable(directory, message, e);
            default -> unavailable(directory, message, e);
        };
    }

    private static boolean isNoSpace(RocksDBException e, String message) {
        return (e.getStatus() != null && e.getStatus().getSubCode() == Status.SubCode.NoSpace)
                || message.contains("No space left on device");
    }

    private static boolean isMissingFile(String message) {
        return message.contains("No such file") || message.contains("file size mismatch");
    }

    static DamagedLogException damaged(Path directory, String message, @Nullable Throwable cause) {
        String where = fileIn(message)
                .or(() -> fileInNotes(directory))
                .map(file -> directory.resolve(file).toString())
                .orElse(directory.toString());
        return new DamagedLogException("The event log is damaged at " + where + " (" + message + ")." + WAY_OUT, cause);
    }

    private static Optional<String> fileIn(String message) {
        Matcher file = FILE.matcher(message);
        return file.find() ? Optional.of(file.group()) : Optional.empty();
    }

    /** RocksDB's error does not name a damaged write-ahead log; the notes it keeps beside the data do. */
    private static Optional<String> fileInNotes(Path directory) {
        try (Stream<String> lines = Files.lines(directory.resolve("LOG"))) {
            return lines.filter(line -> line.contains("Corruption"))
                    .map(RocksFaults::fileIn)
                    .flatMap(Optional::stream)
                    .reduce((earlier, later) -> later);
        } catch (IOException | UncheckedIOException none) {
            return Optional.empty();
        }
    }

    private static LogUnavailableException unavailable(Path directory, String message, RocksDBException e) {
        return new LogUnavailableException(
                "The event log in " + directory + " cannot be used: " + message
                        + ". See that the disk works and the directory is readable and writable.",
                e);
    }
}
