package dev.sluice.log;

import java.io.IOException;
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

    /** Of the disk this directory is on. */
    public static FreeSpace of(Path directory, long floor) {
        return new FreeSpace(() -> usable(directory), floor);
    }

    private static long usable(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            throw new LogUnavailableException(
                    "Cannot tell how much room the disk of " + directory + " has: see that the directory exists.", e);
        }
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
