package dev.sluice.devmongo.journal;

import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.Oplog;
import dev.sluice.devmongo.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Documents and oplog of a server that keeps them in a directory. A write that was acknowledged and an event that a stream has shown
 * are there at the next start, also after {@code kill -9}.
 */
public final class KeptData implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeptData.class);
    /** The journal is rewritten when it has grown by so much since the last time. */
    private static final long REWRITE_AFTER_BYTES = 64L << 20;

    private final DataLock lock;
    private final long rewriteAfter;
    private final Journal journal;
    private final Oplog oplog;
    private final Store store;
    private long term;
    private volatile long rewriteAt;

    private KeptData(Path directory, DataLock lock, long rewriteAfter, Oplog oplog, Store store) throws IOException {
        this.lock = lock;
        this.rewriteAfter = rewriteAfter;
        this.rewriteAt = rewriteAfter;
        this.oplog = oplog;
        this.store = store;
        this.journal = Journal.open(directory.resolve("journal"), this::replay);
        oplog.resume(journal);
    }

    /**
     * Replays what the directory holds; creates the directory if it is not there.
     *
     * @param oplog nothing was appended to it yet, see {@link Oplog#toBeResumed}
     * @param store over that oplog, and empty
     */
    public static KeptData open(Path directory, Oplog oplog, Store store) {
        return open(directory, REWRITE_AFTER_BYTES, oplog, store);
    }

    static KeptData open(Path directory, long rewriteAfter, Oplog oplog, Store store) {
        try {
            DataLock lock = DataLock.take(directory);
            try {
                KeptData kept = new KeptData(directory, lock, rewriteAfter, oplog, store);
                kept.rewriteIfLarge();
                return kept;
            } catch (IOException | RuntimeException failed) {
                lock.close();
                throw failed;
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(
                    "devmongo cannot keep its data in " + directory + ": " + failed.getMessage(), failed);
        }
    }

    private void replay(JournalRecord record) {
        switch (record) {
            case JournalRecord.Written written -> {
                store.restore(written.effects());
                oplog.restore(written.entry());
            }
            case JournalRecord.Contents contents -> store.restore(contents.effects());
            case JournalRecord.Evicted evicted -> oplog.evictBefore(evicted.oldest());
            case JournalRecord.Term began -> term = began.number();
        }
    }

    /** The term of the last time this server became primary, 0 before the first. */
    public long lastTerm() {
        return term;
    }

    /** Notes that the server became primary in this term. */
    public void termBegins(long number) {
        term = number;
        journal.term(number);
    }

    /** To be called after every command that may have written, and without a lock: returns when it is on disk. */
    public void sync() {
        oplog.sync();
        rewriteIfLarge();
    }

    private void rewriteIfLarge() {
        if (journal.size() > rewriteAt) {
            store.locked(() -> {
                oplog.whileNothingIsAppended(this::rewrite);
                return true;
            });
        }
    }

    private void rewrite() {
        long before = journal.size();
        if (before > rewriteAt) {
            journal.rewrite(this::records);
            rewriteAt = journal.size() + rewriteAfter;
            LOG.info("devmongo rewrote its journal: {} bytes became {}.", before, journal.size());
        }
    }

    /** All there is, as if written just now. */
    private void records(Consumer<JournalRecord> into) {
        into.accept(new JournalRecord.Term(term));
        for (Effect effect : store.contents()) {
            into.accept(new JournalRecord.Contents(List.of(effect)));
        }
        if (oplog.hasEvicted()) {
            into.accept(new JournalRecord.Evicted(oplog.oldest()));
        }
        oplog.all().forEach(entry -> into.accept(new JournalRecord.Written(entry, List.of())));
    }

    @Override
    public void close() {
        try (lock) {
            journal.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
