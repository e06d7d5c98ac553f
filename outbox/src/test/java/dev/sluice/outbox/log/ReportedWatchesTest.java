package dev.sluice.outbox.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.outbox.table.TestDatabase;
import dev.sluice.run.LoopFailure;
import dev.sluice.run.Loops;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watches that fail are reported in the loops of the process: its health report reads no others. */
@Timeout(30)
class ReportedWatchesTest {
    private final AtomicBoolean broken = new AtomicBoolean();

    @Test
    void thoseOfABackendAreListedWhileTheyFail() {
        try (HikariDataSource database = TestDatabase.H2.ready();
                LogRig rig = new LogRig(breaking(database))) {
            rig.until(() -> rig.log.state().started());
            assertReported(rig.loops);
        }
    }

    private void assertReported(Loops loops) {
        broken.set(true);
        await(() -> !loops.failing().isEmpty());
        assertThat(loops.failing()).extracting(LoopFailure::loop).containsExactly("sluice-jdbc-watches");
        broken.set(false);
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        while (!condition.holds()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** An Error of the driver, say. */
    private DataSource breaking(DataSource database) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (broken.get()) {
                        throw new NoClassDefFoundError("on purpose");
                    }
                    try {
                        return method.invoke(database, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
