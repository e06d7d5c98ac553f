package dev.sluice.outbox.relay;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Lets relays run beside nodes of an outbox that knows no partitions: as long as there is one claim, its owner sends only
 * while it holds the ShedLock lock those nodes take before they send, and keeps it; a send that waits ends when the lock is
 * lost. With more claims the lock means nothing: see {@link LayoutRule}.
 */
final class GlobalLock implements Sink {
    private static final int BEATS = 3;
    private static final Duration ASKING = Duration.ofSeconds(1);
    private static final int LONGEST_PAUSE_MILLIS = 50;

    private final Sink sink;
    private final CoordinationStore store;
    private final String lock;
    private final String node;
    private final Duration lifetime;

    /**
     * @param store not closed here
     * @param lock its name in the table {@code shedlock}
     * @param lifetime how long it outlives a relay that fell silent
     */
    GlobalLock(Sink sink, CoordinationStore store, String lock, String node, Duration lifetime) {
        this.sink = sink;
        this.store = store;
        this.lock = lock;
        this.node = node;
        this.lifetime = lifetime;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        Held held = take();
        try {
            held.into(sink.open(opening));
            return held;
        } catch (SinkUnavailableException | InterruptedException | RuntimeException failed) {
            held.close();
            throw failed;
        }
    }

    /** Older nodes give the lock back for moments only: asks for it again and again, for a second at most. */
    private Held take() throws SinkUnavailableException, InterruptedException {
        // Each opening has its own holder name, so that a relay never goes on with a lock it took before.
        String holder = node + '/' + UUID.randomUUID();
        long end = System.nanoTime() + ASKING.toNanos();
        while (System.nanoTime() - end < 0) {
            long before = System.nanoTime();
            Optional<Lease> lease = ask(holder);
            if (lease.isPresent()) {
                return new Held(lease.get(), before);
            }
            Thread.sleep(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_MILLIS / 2, LONGEST_PAUSE_MILLIS));
        }
        throw SinkUnavailableException.inUse(
                "a node without partitions holds the lock " + lock + ": it sends, this relay waits");
    }

    private Optional<Lease> ask(String holder) throws SinkUnavailableException {
        try {
            return store.openLease(lock, holder, lifetime);
        } catch (StoreUnavailableException away) {
            throw new SinkUnavailableException("the lock " + lock + " cannot be asked for", false, away);
        }
    }

    @Override
    public boolean remembers() {
        return sink.remembers();
    }

    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        sink.probe();
    }

    @Override
    public void close() {
        sink.close();
    }

    /** One owner's way into the sink, for as long as the lock is kept. */
    private final class Held implements Channel {
        private final Lease lease;
        private final Repeating renewals;
        private volatile long until;
        private volatile boolean lost;
        private volatile Channel channel = NOTHING;

        Held(Lease lease, long before) {
            this.lease = lease;
            this.until = before + lifetime.toNanos();
            this.renewals = Repeating.start("outbox-global-lock", this::renew);
        }

        void into(Channel opened) {
            channel = opened;
        }

        private Duration renew() {
            long before = System.nanoTime();
            try {
                if (lease.renew()) {
                    until = before + lifetime.toNanos();
                } else {
                    lose();
                }
            } catch (StoreUnavailableException undecided) {
                if (before - until > 0) {
                    lose();
                }
            }
            return lifetime.dividedBy(BEATS);
        }

        private void lose() {
            lost = true;
            channel.close();
        }

        @Override
        public List<Long> alreadySent() {
            return channel.alreadySent();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
            if (lost || System.nanoTime() - until > 0) {
                throw new SinkUnavailableException("the lock " + lock + " was lost", false, null);
            }
            return channel.send(rows);
        }

        @Override
        public OptionalLong batch() {
            return channel.batch();
        }

        @Override
        public void removed() {
            channel.removed();
        }

        @Override
        public void buried(Row row, String reason, int attempts) throws InterruptedException {
            channel.buried(row, reason, attempts);
        }

        /** The lock last: nobody else sends before this one has stopped. */
        @Override
        public void close() {
            channel.close();
            renewals.close();
            lease.close();
        }
    }

    private static final Channel NOTHING = new Channel() {
        @Override
        public List<Long> alreadySent() {
            return List.of();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) {
            throw new IllegalStateException("not open yet");
        }

        @Override
        public void removed() {}

        @Override
        public void close() {}
    };
}
