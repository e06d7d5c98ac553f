package dev.sluice.outbox.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.capture.TenantRule;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.outbox.table.Row;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageEventsTest {
    private static final Row NIGHTLY =
            new Row(7, 0, "jobs", "nightly", "Done", "{}".getBytes(StandardCharsets.UTF_8), Map.of(), 0, Instant.EPOCH);

    private static EventId idIn(String outbox) {
        return new MessageEvents(new TenantRule.None(), outbox)
                .of(NIGHTLY, ClusterTime.of(1_700_000_000, 7))
                .id();
    }

    /** A database per region, and the same job in each: whoever knows events by their id gets both. */
    @Test
    void theSameRowOfAnotherDatabaseIsAnotherEvent() {
        assertThat(idIn("a")).isNotEqualTo(idIn("b")).isEqualTo(idIn("a"));
    }
}
