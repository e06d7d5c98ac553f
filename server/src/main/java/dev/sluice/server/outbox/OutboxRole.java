package dev.sluice.server.outbox;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.metrics.OutboxMeters;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.run.Loops;
import dev.sluice.server.Opened;
import dev.sluice.server.cluster.Cluster;
import dev.sluice.server.cluster.GroupMeters;
import dev.sluice.server.config.OutboxConfig;
import dev.sluice.server.config.SluiceConfig;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code sluice run --role outbox} runs: database → relay → sink. Stopped, the relay finishes what is under way and
 * hands its partitions over; only then the connections are closed.
 */
public final class OutboxRole implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.outbox");
    /** Beside one per partition: the one that listens, and housekeeping. */
    private static final int MORE_CONNECTIONS = 3;

    private static final int MOST_PARALLEL = 16;
    private static final int COORDINATION = 3;

    private final OutboxConfig config;
    private final Opened resources = new Opened();
    private final DataSource source;
    private final OutboxTable table;
    private final OutboxRelay relay;

    private OutboxRole(SluiceConfig all, MeterRegistry registry, Loops loops) {
        this.config = all.outbox();
        try (var opened = new Opened()) {
            opened.add(resources);
            int parallel = Math.min(MOST_PARALLEL, config.total().partitions());
            this.source = resources
                    .add(OutboxDatabase.open(config.datasource(), parallel + MORE_CONNECTIONS))
                    .source();
            requireTables(source);
            DataSource coordination = resources
                    .add(OutboxDatabase.open(config.datasource(), COORDINATION))
                    .source();
            this.table = new OutboxTable(source, Keeping.DELETE);
            this.relay = opened.add(OutboxRelay.builder(source)
                    .name(config.name())
                    .nodeId(node(all))
                    .partitions(config.total().partitions())
                    .coordination(coordination)
                    .sink(RelayParts.sink(config, all.security().tls()))
                    .cipher(PayloadKeys.cipher(config.encryption()))
                    .globalLock(config.globalLock().orElse(""))
                    .settings(RelayParts.settings(all))
                    .secrets(Cluster.secrets(all.cluster()))
                    .loops(loops)
                    .start());
            new OutboxMeters(() -> Optional.of(relay), config.total().partitions()).bindTo(registry);
            GroupMeters.bind(registry, () -> relay.status().members(), relay.groupCounters());
            opened.keep();
        }
    }

    /**
     * Starts the relay.
     *
     * @param loops of this process, whose failures its health report reads
     * @throws InvalidInputException when the database cannot be reached, or has no tables of this kind
     */
    public static OutboxRole start(SluiceConfig config, MeterRegistry registry, Loops loops) {
        var role = new OutboxRole(config, registry, loops);
        LOG.atInfo()
                .addKeyValue("name", role.config.name())
                .addKeyValue("partitions", role.config.total().partitions())
                .addKeyValue("sink", role.config.sink())
                .addKeyValue("delivery", role.config.delivery())
                .log("outbox relay started");
        return role;
    }

    private static void requireTables(DataSource source) {
        switch (OutboxSchema.version(source)) {
            case 0 ->
                throw new InvalidInputException("there are no outbox tables in the database of outbox.datasource.url;"
                        + " make them with: sluice outbox init --jdbc-url ...");
            case 1 ->
                throw new InvalidInputException("the outbox tables have the layout of a global lock; take them forward"
                        + " with: sluice outbox migrate --partitions N --jdbc-url ...");
            default -> LOG.debug("the outbox tables are there");
        }
    }

    private static String node(SluiceConfig all) {
        return all.outbox()
                .node()
                .id()
                .or(all.cluster()::nodeId)
                .orElseGet(() -> UUID.randomUUID().toString());
    }

    OutboxConfig config() {
        return config;
    }

    public OutboxRelay relay() {
        return relay;
    }

    OutboxTable table() {
        return table;
    }

    DataSource source() {
        return source;
    }

    @Override
    public void close() {
        LOG.info("outbox relay stops: what is under way, then its partitions are handed over");
        relay.close();
        resources.close();
        LOG.info("outbox relay stopped");
    }
}
