package dev.sluice.outbox;

import dev.sluice.coordinate.GroupCounters;
import dev.sluice.coordinate.audit.AuditEvent;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.relay.OpeningSink;
import dev.sluice.outbox.relay.RelayCounters;
import dev.sluice.outbox.relay.RelayNode;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.WakeUps;
import dev.sluice.outbox.table.Row;
import dev.sluice.run.Loops;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Publishes what an {@link Outbox} wrote: in order per key, with as many relays as there are processes, each with its share of
 * the partitions. Run it inside the application or as a process of its own.
 *
 * <pre>{@code
 * OutboxRelay relay = OutboxRelay.builder(dataSource)
 *         .name("orders")
 *         .sink(KafkaSinks.atLeastOnce(Map.of("bootstrap.servers", "broker:9092")))
 *         .start();
 * }</pre>
 *
 * It starts also when the database or the receiver is away, and goes on by itself when they are back. Closing it finishes
 * what is under way and hands its partitions over.
 */
public final class OutboxRelay implements AutoCloseable {
    private final RelayNode node;
    private final WakeUps wakeUps;
    private final Outbox.@Nullable Registration commits;

    private OutboxRelay(Builder builder, Sink sink) {
        String nodeId = builder.nodeId.isEmpty() ? UUID.randomUUID().toString() : builder.nodeId;
        DataSource coordination = builder.coordination == null ? builder.source : builder.coordination;
        var told = new AtomicReference<@Nullable WakeUps>();
        node = RelayNode.start(
                new RelayNode.RelayPlan(
                        builder.name,
                        nodeId,
                        builder.partitions,
                        builder.source,
                        coordination,
                        sink,
                        builder.settings,
                        builder.oldLock,
                        builder.secrets,
                        builder.loops),
                () -> {
                    WakeUps known = told.get();
                    return known != null && known.isListening();
                });
        wakeUps = WakeUps.start(builder.source, node::wake);
        told.set(wakeUps);
        commits = builder.outbox == null ? null : builder.outbox.onCommitted(node::wake);
    }

    public static Builder builder(DataSource source) {
        return new Builder(source);
    }

    /** There may be new rows: as {@link Outbox#committed()}, for who has no Outbox here. */
    public void wake() {
        node.wake();
    }

    /**
     * Changes how many partitions the relays share out, online; 1 is the global lock of old. The writers come first: they must
     * count the new number, or a multiple of it, before. See {@link RelayNode#changePartitions}; {@link #status} tells when
     * it is done.
     */
    public void changePartitions(int partitions) {
        node.changePartitions(partitions);
    }

    public RelayStatus status() {
        return node.status();
    }

    public RelayCounters counters() {
        return node.counters();
    }

    /** What happened in the group of relays, which {@link RelayStatus#members} tells of. */
    public GroupCounters groupCounters() {
        return node.groupCounters();
    }

    /** Joins, claims, losses and refusals in the group of relays as this relay saw them; the latest, oldest first. */
    public List<AuditEvent> audit() {
        return node.audit();
    }

    /** Finishes what is under way, hands over, leaves, and closes the sink. Closing twice is harmless. */
    @Override
    public void close() {
        if (commits != null) {
            commits.close();
        }
        wakeUps.close();
        node.close();
    }

    /** Collects what a relay needs. */
    public static final class Builder {
        private final DataSource source;
        private String name = "outbox";
        private String nodeId = "";
        private String oldLock = "";
        private int partitions = Outbox.DEFAULT_PARTITIONS;
        private RelaySettings settings = RelaySettings.DEFAULT;
        private @Nullable DataSource coordination;
        private @Nullable Sink sink;
        private @Nullable Outbox outbox;
        private @Nullable PayloadCipher cipher;
        private List<MemberSecret> secrets = List.of();
        private Loops loops = new Loops();

        private Builder(DataSource source) {
            this.source = source;
        }

        /** The same for all relays of one outbox; at first {@code outbox}. */
        public Builder name(String newName) {
            name = newName;
            return this;
        }

        /** Unique among the relays of this outbox, such as the host's name; at first a random one. */
        public Builder nodeId(String id) {
            nodeId = id;
            return this;
        }

        /** As many as the writers count. */
        public Builder partitions(int count) {
            partitions = count;
            return this;
        }

        public Builder sink(Sink receiver) {
            sink = receiver;
            return this;
        }

        /**
         * The outbox of this process: its commits wake the relay at once. Relays of other processes are told by {@link
         * Outbox.Builder#notifyThrough}.
         */
        public Builder wakeUps(Outbox ofThisProcess) {
            outbox = ofThisProcess;
            return this;
        }

        /** Decrypts what the writers' cipher encrypted. Without one a row with an encrypted payload parks its key. */
        public Builder cipher(@Nullable PayloadCipher ofTheWriters) {
            cipher = ofTheWriters;
            return this;
        }

        /**
         * Secrets that all relays of this outbox share: the first signs this relay's member record, any of them is accepted.
         * A relay without one of them gets no partitions.
         */
        public Builder secrets(List<MemberSecret> shared) {
            secrets = List.copyOf(shared);
            return this;
        }

        /** Another pool to the same database for membership, so that it never waits behind the application's work. */
        public Builder coordination(DataSource pool) {
            coordination = pool;
            return this;
        }

        /**
         * The ShedLock lock of an outbox of the old kind whose nodes may still run: a new outbox begins with one partition,
         * whose owner holds this lock too, so that they exclude each other. Take it away before {@link
         * OutboxRelay#changePartitions}: under more partitions a relay with it sends nothing, and says so.
         */
        public Builder globalLock(String shedLockName) {
            oldLock = shedLockName;
            return this;
        }

        /** The loops of a process whose health report reads which of them fail; at first loops of its own. */
        public Builder loops(Loops ofThisProcess) {
            loops = ofThisProcess;
            return this;
        }

        public Builder settings(RelaySettings newSettings) {
            settings = newSettings;
            return this;
        }

        public OutboxRelay start() {
            if (sink == null) {
                throw new InvalidInputException("say where the messages go: sink(KafkaSinks.atLeastOnce(…))");
            }
            return new OutboxRelay(this, new OpeningSink(sink, opener(cipher)));
        }

        private static UnaryOperator<Row> opener(@Nullable PayloadCipher cipher) {
            return cipher == null ? PayloadCipher::requirePlain : cipher::open;
        }
    }
}
