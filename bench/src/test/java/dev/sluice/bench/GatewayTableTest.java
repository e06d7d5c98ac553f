package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The report of the gateway benchmark. */
class GatewayTableTest {
    private static final Sample SECOND = new Sample(10_000, 1_000_000_000L, 500_000_000L);

    private static GatewayTurn turn(long idleBytesPerSocket) {
        long before = 5_000_000;
        GatewayTurn.Heap heap = new GatewayTurn.Heap(
                before, before + 10_000 * idleBytesPerSocket, before + 10_000 * (idleBytesPerSocket + 1_000));
        return new GatewayTurn(SECOND, SECOND, heap, new GatewayTurn.Storm(SECOND, 0.4, 0.9));
    }

    @Test
    void heapCountsPerSocketAboveTheEmptyServer() {
        GatewayTable table = new GatewayTable();
        table.add("ours", true, List.of(turn(20_000), turn(24_000), turn(22_000)));
        assertThat(table.toString())
                .contains(
                        "| ours | 22,000 (20,000–24,000) | 25,000 | 48,806 | 23,000 | 0.40 | 0.90 | 1.00 (1.00–1.00) |");
        assertThat(table.failures()).isEmpty();
        assertThat(table.json()).contains("\"idleBytesPerSocket\":22000", "\"passes\":true");
    }

    @Test
    void theBoundOfHeapIsCheckedForTheGatewayAlone() {
        GatewayTable table = new GatewayTable();
        table.add("bare", false, List.of(turn(26_000)));
        table.add("ours", true, List.of(turn(25_001)));
        assertThat(table.failures()).containsExactly("ours: 25,001 bytes of heap per idle socket, the bound is 25,000");
    }
}
