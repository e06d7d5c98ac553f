package dev.sluice.worker.migrate;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.migrate.Migration.Phase;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MigrationControlTest {
    private final InMemoryCoordinationStore store = new InMemoryCoordinationStore();
    private final StreamState stream =
            new ManualModel(Retention.LIMITS, -1, true).stream().state();
    private Instant now = Instant.ofEpochMilli(1_000);
    private final MigrationControl control = new MigrationControl(store, "g", () -> now);

    private Migration start() {
        return control.start(PER_WORKER, PER_PARTITION, 0, MigrationLimits.DEFAULT, stream);
    }

    /** A report of the first one would count for the second. */
    @Test
    void aNumberIsNotUsedAgainAfterAMigrationWasForgotten() {
        Migration first = start();
        control.abort();
        control.forget();
        now = now.plusMillis(1);
        assertThat(start().number()).isGreaterThan(first.number());
        control.abort();
        now = now.minusMillis(500);
        assertThat(start().number()).as("with a clock that went back").isGreaterThan(first.number() + 1);
    }

    @Test
    void withABacklogNoneIsStarted() {
        assertThatThrownBy(() -> control.start(PER_WORKER, PER_PARTITION, 10_001, MigrationLimits.DEFAULT, stream))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("10001 unfinished messages, more than max_lag (10000)");
        assertThat(control.migration()).isEmpty();
        control.start(PER_WORKER, PER_PARTITION, 10_000, MigrationLimits.DEFAULT, stream);
    }

    @Test
    void aReportThatCannotBeReadIsLeftOut() {
        MigrationStore migrations = new MigrationStore(store, "g");
        WindowReport good = new WindowReport(1, Phase.SHADOW, "life", 1, 1, 0, 0, 0, "");
        assertThat(migrations.report("w0", good)).isTrue();
        for (String other : new String[] {"", "{", "{}", "{\"migration\": \"x\"}"}) {
            store.put("g/mode-windows/w1" + other.length(), other.getBytes(UTF_8), CoordinationStore.ABSENT);
        }
        assertThat(migrations.reports()).containsOnlyKeys("w0").containsValue(good);
    }

    /** Two consumers may get different messages of such a subject. */
    @Test
    void aStreamThatReplacesMessagesIsNotCompared() {
        StreamState replacing = new StreamState(
                stream.name(),
                stream.created(),
                Retention.LIMITS,
                1,
                0,
                -1,
                1,
                stream.replicas(),
                stream.transforms(),
                stream.subjects());
        assertThat(start().phase()).isEqualTo(Phase.SHADOW);
        control.abort();
        assertThat(control.start(PER_WORKER, PER_PARTITION, 0, MigrationLimits.DEFAULT, replacing)
                        .phase())
                .isEqualTo(Phase.BURN_IN);
    }
}
