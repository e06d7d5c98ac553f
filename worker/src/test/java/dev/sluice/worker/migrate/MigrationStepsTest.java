package dev.sluice.worker.migrate;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.identity.MemberState;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.worker.migrate.Migration.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The part of one worker without partitions, {@code w0}, which leads. */
class MigrationStepsTest {
    private static final MigrationLimits LIMITS =
            new MigrationLimits(Duration.ofSeconds(30), 3, 2, Duration.ofMinutes(2), 100, 3);

    private final ComparisonScene scene = new ComparisonScene();
    private final InMemoryCoordinationStore store = new InMemoryCoordinationStore();
    private final MigrationStore migrations = new MigrationStore(store, "g");
    private final MigrationControl control = new MigrationControl(store, "g", Instant::now);
    private List<String> members = List.of("w0");
    private String life = "first";
    private int wakes;
    private ModeMigration worker = worker();

    private ModeMigration worker() {
        GroupMode mode = new GroupMode(PER_WORKER, migrations.readable());
        ModeMigration made =
                new ModeMigration(scene.context, migrations, mode, this::group, Optional::empty, () -> wakes++);
        made.watch(() -> {});
        return made;
    }

    private GroupStatus group() {
        return new GroupStatus(
                "g",
                "w0",
                life,
                MemberState.READY,
                members,
                "w0",
                true,
                1,
                2,
                false,
                List.of(),
                Map.of(),
                Duration.ZERO,
                "");
    }

    private void start() {
        control.start(PER_WORKER, PER_PARTITION, 0, LIMITS, scene.model.stream().state());
    }

    private void pass(int seconds) {
        for (int second = 0; second < seconds; second++) {
            worker.step();
            worker.watchSelf();
            scene.model.pass(Duration.ofSeconds(1));
        }
    }

    private Phase phase() {
        return control.migration().orElseThrow().phase();
    }

    private WindowReport report() {
        return migrations.report("w0").orElseThrow();
    }

    @Test
    void goodWindowsOfAllWorkersLeadToTheEnd() {
        start();
        pass(3 * 30);
        assertThat(phase()).isEqualTo(Phase.SHADOW);
        pass(10);
        assertThat(phase()).isEqualTo(Phase.BURN_IN);
        pass(3 * 30);
        assertThat(phase()).isEqualTo(Phase.BURN_IN);
        pass(45);
        assertThat(phase()).isEqualTo(Phase.DONE);
        pass(1);
        assertThat(migrations.reports()).isEmpty();
    }

    @Test
    void aWorkerThatStopsToReportBringsTheOldModeBack() {
        members = List.of("w0", "w1");
        start();
        migrations.report(
                "w1",
                new WindowReport(control.migration().orElseThrow().number(), Phase.SHADOW, "a", 9, 9, 0, 0, 0, ""));
        pass(79);
        assertThat(phase()).isEqualTo(Phase.SHADOW);
        pass(3);
        assertThat(phase()).isEqualTo(Phase.ROLLED_BACK);
        assertThat(control.migration().orElseThrow().reason()).contains("worker w1", "reports nothing");
    }

    @Test
    void aPausedWorkerHasWindowsThatDoNotCount() {
        start();
        pass(40);
        assertThat(report())
                .extracting(WindowReport::window, WindowReport::good)
                .containsExactly(1, 1);
        scene.paused = true;
        pass(1);
        scene.paused = false;
        pass(29);
        assertThat(report())
                .extracting(WindowReport::window, WindowReport::good)
                .containsExactly(2, 1);
        assertThat(worker.status().orElseThrow().windows()).contains("does not count: the worker was paused");
    }

    /** The process starts again, or the group has given it up meanwhile. */
    @Test
    void aNewLifeGoesOnWithTheWindowsOfTheOneBefore() {
        start();
        pass(40);
        life = "second";
        worker = worker();
        pass(1);
        assertThat(report()).extracting(WindowReport::life, WindowReport::bad).containsExactly("second", 0);
        for (String next : List.of("third", "fourth")) {
            assertThat(phase()).isEqualTo(Phase.SHADOW);
            life = next;
            pass(2);
        }
        assertThat(phase()).isEqualTo(Phase.ROLLED_BACK);
        assertThat(control.migration().orElseThrow().reason()).contains("2 bad windows", "began a new life");
    }

    /** A worker of a newer version wrote it. The mode is safe either way, so nothing stops. */
    @Test
    void aMigrationThatCannotBeReadIsAProblemUntilItIsForgotten() {
        start();
        pass(1);
        assertThat(wakes).isEqualTo(1);
        long revision = store.get("g/mode/migration").orElseThrow().revision();
        store.put("g/mode/migration", "{\"phase\": \"NEWER\"}".getBytes(UTF_8), revision);
        pass(20);
        assertThat(scene.problems.texts())
                .singleElement()
                .asString()
                .contains("This worker keeps its consumer mode", "migrate --forget");
        assertThat(migrations.readable()).as("for a worker that starts").isEmpty();
        control.forget();
        pass(1);
        assertThat(scene.problems.texts()).isEmpty();
        assertThat(worker.status()).isEmpty();
    }

    @Test
    void aValueThatCannotBeReadDoesNotStopTheLeader() {
        members = List.of("w0", "w1");
        start();
        store.put("g/mode-windows/w1", new byte[] {'{'}, CoordinationStore.ABSENT);
        migrations.report(
                "w0",
                new WindowReport(
                        control.migration().orElseThrow().number(), Phase.SHADOW, "first", 2, 0, 2, 0, 2, "lag"));
        pass(1);
        assertThat(phase()).isEqualTo(Phase.ROLLED_BACK);
    }

    @Test
    void aClosedWorkerHasNoWindows() {
        start();
        pass(1);
        worker.close();
        worker.watchSelf();
        assertThat(worker.status().orElseThrow().windows()).isEmpty();
    }
}
