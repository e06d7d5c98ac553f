package dev.sluice.server.outbox;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.relay.RelaySettings;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Two, as an application embeds them; none dies. */
final class RelaysInThisProcess implements NewNodes {
    private static final RelaySettings SETTINGS = RelaySettings.DEFAULT
            .withNodeTimeout(Duration.ofSeconds(15))
            .withStabiliser(StabiliserSettings.IMMEDIATE)
            .withBatches(new RelaySettings.BatchLimits(20, 50));

    private final DataSource source;
    private final String broker;
    private final Map<String, OutboxRelay> running = new TreeMap<>();

    RelaysInThisProcess(DataSource source, String broker) {
        this.source = source;
        this.broker = broker;
    }

    @Override
    public void roll(int partitions, String oldLock) {
        for (var node : new String[] {"new-1", "new-2"}) {
            var before = running.remove(node);
            if (before != null) {
                before.close();
            }
            running.put(
                    node,
                    OutboxRelay.builder(source)
                            .nodeId(node)
                            .partitions(partitions)
                            .globalLock(oldLock)
                            .sink(KafkaSinks.atLeastOnce(Map.of("bootstrap.servers", broker)))
                            .settings(SETTINGS)
                            .start());
        }
    }

    @Override
    public void stop() {
        running.values().forEach(OutboxRelay::close);
        running.clear();
    }

    @Override
    public long repeatsAtMost() {
        return 0;
    }

    @Override
    public void close() {
        stop();
    }
}
