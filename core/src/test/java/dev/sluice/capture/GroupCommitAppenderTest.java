package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Operation;
import dev.sluice.run.Loops;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GroupCommitAppenderTest {
    private final InMemoryEventLog log = new InMemoryEventLog();
    private final AtomicLong free = new AtomicLong();

    private GroupCommit begin() {
        return new GroupCommit(log, GroupCommitLimits.of(10, 30), new FreeSpace(free::get, 100), appended -> {})
                .start(new Loops(), "commit");
    }

    /** Whoever shuts down has ten seconds for its last commits, and none for a disk that stays full. */
    @Test
    @Timeout(9)
    void aFullDiskIsNotWaitedForAndWithRoomWhatWaitedIsStored() throws InterruptedException {
        try (GroupCommitAppender appender = new GroupCommitAppender(this::begin)) {
            appender.submit(List.of(event()), null);
            while (!(appender.current().status() instanceof GroupCommit.Status.WaitingForSpace)) {
                Thread.onSpinWait();
            }
            assertThat(appender.flush()).isFalse();
            free.set(200);
            while (!appender.flush()) {
                Thread.onSpinWait();
            }
            assertThat(log.state().events()).isOne();
        }
    }

    private static EventRecord event() {
        return new EventRecordEncoder()
                .id(ClusterTime.of(1, 1), 1)
                .operation(Operation.RESYNC)
                .encode();
    }
}
