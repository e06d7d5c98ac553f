package dev.sluice.worker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.Partition;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartitionMapTest {
    @Test
    void literalSubjectsAreFound() {
        Partition a = Partition.open(0, "a", "x.a");
        Partition b = Partition.open(1, "b", "x.b");
        PartitionMap map = new PartitionMap(1, List.of(a, b));
        assertThat(map.of("x.b")).isEqualTo(b);
        assertThat(map.of("x")).isNull();
        assertThat(map.of("x.b.c")).isNull();
        assertThat(map.at(1)).hasValue(b);
        assertThat(map.at(2)).isEmpty();
        assertThat(map.at(-1)).isEmpty();
        assertThat(map.size()).isEqualTo(2);
    }

    @Test
    void hashedSubjectsAreFoundByNumberAndSlot() {
        Partition of2 = Partition.open(0, "1", "o.p.2.1.>");
        Partition of16 = Partition.open(1, "1", "o.p.16.1.>");
        Partition other = Partition.open(2, "1", "q.2.1.>");
        PartitionMap map = new PartitionMap(1, List.of(of2, of16, other));
        assertThat(map.of("o.p.2.1.x")).isEqualTo(of2);
        assertThat(map.of("o.p.2.1.x.y")).isEqualTo(of2);
        assertThat(map.of("o.p.16.1.x")).isEqualTo(of16);
        assertThat(map.of("q.2.1.x")).isEqualTo(other);
        assertThat(map.of("o.p.2.1")).isNull();
        assertThat(map.of("o.p.2.1.")).isNull();
        assertThat(map.of("o.p.2.10.x")).isNull();
        assertThat(map.of("o.p.2.2.x")).isNull();
        assertThat(map.of("o")).isNull();
    }
}
