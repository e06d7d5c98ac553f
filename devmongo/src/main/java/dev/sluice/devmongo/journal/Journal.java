package dev.sluice.devmongo.journal;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.OplogEntry;
import dev.sluice.devmongo.oplog.OplogKeeper;
import dev.sluice.devmongo.wire.BsonBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.bson.BsonTimestamp;

/**
 * Everything written since the journal began, in order. {@link #append} only collects; {@link #sync} writes what all threads have
 * collected and forces it to disk once, so writers that wait at the same time share one sync.
 */
final class Journal implements OplogKeeper, AutoCloseable {
    private static final int OUT_OF_DISK_SPACE = 14031;

    private final Path path;
    private final JournalFile file;
    private final ReentrantLock writing = new ReentrantLock();
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
    /** Taken from {@link #collected} and not on disk yet: empty, unless the disk refused it. */
    private ByteBuffer unwritten = ByteBuffer.allocate(0);

    private boolean closed;

    private Journal(Path path, JournalFile file) {
        this.path = path;
        this.file = file;
    }

    /** Opens or creates it; {@code replay} gets every record, in order. */
    static Journal open(Path path, Consumer<JournalRecord> replay) throws IOException {
        return new Journal(
                path, JournalFile.open(path, frame -> replay.accept(RecordForm.decode(BsonBytes.decode(frame)))));
    }

    @Override
    public void append(OplogEntry entry, List<Effect> effects) {
        collect(new JournalRecord.Written(entry, effects));
    }

    @Override
    public void evicted(BsonTimestamp oldest) {
        collect(new JournalRecord.Evicted(oldest));
    }

    void term(long number) {
        collect(new JournalRecord.Term(number));
    }

    private void collect(JournalRecord record) {
        byte[] frame = frame(record);
        synchronized (collected) {
            collected.writeBytes(frame);
        }
    }

    private static byte[] frame(JournalRecord record) {
        return JournalFile.frame(BsonBytes.encode(RecordForm.encode(record)));
    }

    /** @throws CommandException when the disk refuses it; what was collected is kept and written by the next call */
    @Override
    public void sync() {
        writing.lock();
        try {
            write();
            unwritten = take();
            write();
        } catch (IOException failed) {
            throw refused(failed);
        } finally {
            writing.unlock();
        }
    }

    private void write() throws IOException {
        if (unwritten.hasRemaining()) {
            file.append(unwritten.duplicate());
            unwritten = ByteBuffer.allocate(0);
        }
    }

    private ByteBuffer take() {
        synchronized (collected) {
            ByteBuffer taken = ByteBuffer.wrap(collected.toByteArray());
            collected.reset();
            return taken;
        }
    }

    long size() {
        writing.lock();
        try {
            return file.size();
        } finally {
            writing.unlock();
        }
    }

    /** Replaces everything by these records. To be called while nothing is appended: what was collected is part of them. */
    void rewrite(Consumer<Consumer<JournalRecord>> records) {
        writing.lock();
        try {
            file.replace(
                    frames -> records.accept(record -> frames.accept(BsonBytes.encode(RecordForm.encode(record)))));
            unwritten = ByteBuffer.allocate(0);
            take();
        } catch (IOException | UncheckedIOException failed) {
            throw refused(failed);
        } finally {
            writing.unlock();
        }
    }

    private CommandException refused(Exception failed) {
        return new CommandException(
                OUT_OF_DISK_SPACE,
                "OutOfDiskSpace",
                "devmongo cannot write its journal " + path + ": " + failed.getMessage()
                        + "; free disk space or check access, then write again");
    }

    /** Writes what was collected; closing twice is harmless. */
    @Override
    public void close() throws IOException {
        writing.lock();
        try {
            if (!closed) {
                closed = true;
                sync();
            }
        } finally {
            file.close();
            writing.unlock();
        }
    }
}
