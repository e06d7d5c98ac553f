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

    /** Who has to do something. */
    enum Kind {
        NO_SPACE,
        IN_USE,
        DAMAGED,
        UNAVAILABLE
    }

    static Kind kind(RocksDBException e) {
        Status.Code code =
                e.getStatus() == null ? Status.Code.Undefined : e.getStatus().getCode();
        String message = String.valueOf(e.getMessage());
        if (isNoSpace(e, message) || RocksStore.isStall(e)) {
            return Kind.NO_SPACE;
        }
        if (message.contains("/LOCK")) {
            return Kind.IN_USE;
        }
        return switch (code) {
            case Corruption, NotFound, InvalidArgument, NotSupported -> Kind.DAMAGED;
            case IOError -> isMissingFile(message) ? Kind.DAMAGED : Kind.UNAVAILABLE;
            default -> Kind.UNAVAILABLE;
        };
    }

    static EventLogException of(Path directory, RocksDBException e) {
        String message = String.valueOf(e.getMessage());
        return switch (kind(e)) {
            case NO_SPACE ->
                new NoSpaceException(
                        "The disk of " + directory
                                + (RocksStore.isStall(e)
                                        ? " does not take what is written: free some space, or see why it is slow."
                                        : " is full: free some space."),
                        e);
            case IN_USE ->
                new LogUnavailableException(
                        "The event log in " + directory + " is in use by another process: stop that one, or configure"
                                + " another puller.buffer.path.",
                        e);
            case DAMAGED -> damaged(directory, message, e);
            case UNAVAILABLE -> unavailable(directory, message, e);
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
