package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.StoreUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every change appended to one file and synced before it counts. A crash can tear only the last record, which nobody was told
 * of: it is dropped at the next start. When the file has grown far beyond what it says, or a write failed and nobody knows
 * what of it arrived, a new file with the present entries takes its place by a rename.
 */
final class FileJournal implements Journal {
    static final String FILE = "coordination.journal";
    private static final String LOCK = "coordination.lock";
    private static final long SMALL = 1 << 20;
    private static final int GROWTH = 4;

    private final Path directory;
    private final FileChannel lock;
    /** Null when it must be written anew before anything is appended. */
    private @Nullable FileChannel file;

    private boolean closed;
    private long lastRevision;
    private long rewriteAt = Long.MAX_VALUE;

    private FileJournal(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** What was found, and the journal that goes on from there. */
    record Opened(FileJournal journal, NavigableMap<String, Entry> values, long lastRevision) {}

    static Opened open(Path directory) {
        FileJournal journal = new FileJournal(directory, lock(directory));
        try {
            NavigableMap<String, Entry> values = new TreeMap<>();
            for (JournalRecord record : JournalRecord.readAll(journal.path())) {
                record.applyTo(values);
                journal.lastRevision = Math.max(journal.lastRevision, record.revision());
            }
            journal.rewrite(values.values());
            return new Opened(journal, values, journal.lastRevision);
        } catch (IOException | RuntimeException e) {
            journal.close();
            throw new StoreUnavailableException(
                    "Cannot open " + journal.path() + ": make it readable and writable, or restore it ("
                            + e.getMessage() + ").",
                    e);
        }
    }

    @SuppressWarnings("resource")
    private static FileChannel lock(Path directory) {
        try {
            Files.createDirectories(directory);
            FileChannel channel =
                    FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isFree(channel)) {
                channel.close();
                throw new StoreUnavailableException(
                        "Another process uses " + directory + ": stop it, or configure another path for this one.");
            }
            return channel;
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "Cannot use " + directory + " for coordination: make it writable or configure another path.", e);
        }
    }

    private static boolean isFree(FileChannel channel) throws IOException {
        try {
            FileLock taken = channel.tryLock();
            return taken != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    @Override
    public void written(Entry entry, Collection<Entry> before) {
        append(JournalRecord.written(entry), before);
    }

    @Override
    public void deleted(String key, long revision, Collection<Entry> before) {
        append(JournalRecord.deleted(key, revision), before);
    }

    private void append(JournalRecord record, Collection<Entry> before) {
        if (closed) {
            // The lock is given up: another process may have the directory.
            throw new StoreUnavailableException("The store in " + directory + " is closed: open it again.");
        }
        try {
            FileChannel ready = file == null || file.size() > rewriteAt ? rewrite(before) : file;
            write(ready, record.encode());
            ready.force(false);
            lastRevision = record.revision();
        } catch (IOException e) {
            drop();
            throw new StoreUnavailableException(
                    "Cannot write " + path() + ": see that its disk has room and is writable.", e);
        }
    }

    private FileChannel rewrite(Collection<Entry> entries) throws IOException {
        drop();
        Path fresh = directory.resolve(FILE + ".new");
        FileChannel next = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        try {
            write(next, JournalRecord.head(lastRevision).encode());
            for (Entry entry : entries) {
                write(next, JournalRecord.written(entry).encode());
            }
            next.force(true);
            Files.move(fresh, path(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            syncDirectory();
        } catch (IOException e) {
            next.close();
            throw e;
        }
        file = next;
        rewriteAt = SMALL + GROWTH * next.size();
        return next;
    }

    private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void syncDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private Path path() {
        return directory.resolve(FILE);
    }

    private void drop() {
        if (file != null) {
            closeQuietly(file);
            file = null;
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException nothingToLose) {
            // Whatever counts was synced.
        }
    }

    @Override
    public void close() {
        closed = true;
        drop();
        closeQuietly(lock);
    }
}
