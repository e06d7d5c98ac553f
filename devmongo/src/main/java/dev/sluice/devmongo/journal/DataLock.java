package dev.sluice.devmongo.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Holds a data directory for one server; the operating system lets go of it when the process ends. */
final class DataLock implements AutoCloseable {
    private final FileChannel file;

    private DataLock(FileChannel file) {
        this.file = file;
    }

    static DataLock take(Path directory) throws IOException {
        Files.createDirectories(directory);
        FileChannel file =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock(file) == null) {
            file.close();
            throw new IOException("another devmongo uses " + directory + ": stop it, or use another directory");
        }
        return new DataLock(file);
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
