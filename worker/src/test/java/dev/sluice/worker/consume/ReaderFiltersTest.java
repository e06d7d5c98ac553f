package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A durable consumer with compressed filters still is the one its partitions need. */
class ReaderFiltersTest {
    @Test
    void aWildcardDeliversThePartitionsItStandsFor() {
        assertThat(Reader.delivers(List.of("dc.*.done", "x.y"), "dc.tool1.done"))
                .isTrue();
        assertThat(Reader.delivers(List.of("dc.*.done", "x.y"), "x.y")).isTrue();
    }

    @Test
    void aHashSlotIsDeliveredByItsOwnFilter() {
        assertThat(Reader.delivers(List.of("orders.64.7.>"), "orders.64.7.>")).isTrue();
        assertThat(Reader.delivers(List.of("orders.64.7.>"), "orders.64.8.>")).isFalse();
    }

    @Test
    void aFilterThatIsGoneDeliversNothing() {
        assertThat(Reader.delivers(List.of("x.y"), "x.z")).isFalse();
    }
}
