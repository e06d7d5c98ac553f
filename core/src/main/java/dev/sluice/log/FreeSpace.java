package dev.sluice.log;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The floor of free disk space below which nothing is appended, so that the disk is never filled to its end: neither
 * ours nor that of others who live on it.
 *
 * @param free usable bytes at this moment
 * @param floor less than this is too little
 */
public record FreeSpace(LongSupplier free, long floor) {
    /** For logs that are not on a disk. */
    public static final FreeSpace UNLIMITED = new FreeSpace(() -> Long.MAX_VALUE, 0);

    /** Of the disk this directory is on, which must exist. */
    public static FreeSpace of(Path directory, long floor) {
        try {
            // Found once: looking it up reads the table of mounts, and this is asked before every commit.
            FileStore disk = Files.getFileStore(directory);
            return new FreeSpace(() -> usable(directory, disk), floor);
        } catch (IOException e) {
            throw unknown(directory, e);
        }
    }

    private static long usable(Path directory, FileStore disk) {
        try {
            return disk.getUsableSpace();
        } catch (IOException e) {
            throw unknown(directory, e);
        }
    }

    private static LogUnavailableException unknown(Path directory, IOException e) {
        return new LogUnavailableException(
                "Cannot tell how much room the disk of " + directory + " has: see that the directory exists.", e);
    }

    /** @throws NoSpaceException saying how much is missing */
    void require() {
        long now = free.getAsLong();
        if (now < floor) {
            throw new NoSpaceException(
                    "The disk has " + now + " bytes left, less than the floor of " + floor
                            + ": free some, or lower puller.buffer.min_free. Capture waits until then.",
                    null);
        }
    }
}
