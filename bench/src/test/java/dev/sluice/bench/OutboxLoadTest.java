package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The messages by which outboxes are compared. */
class OutboxLoadTest {
    @Test
    void everyKeyHasAnEqualShare() {
        Map<String, Long> shares = LongStream.range(0, 4L * OutboxLoad.KEYS)
                .mapToObj(OutboxLoad::key)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(shares).hasSize(OutboxLoad.KEYS);
        assertThat(shares.values()).containsOnly(4L);
    }

    @Test
    void aPayloadHas200BytesAndTellsItsNumberEvenInQuotes() {
        byte[] plain = OutboxLoad.payload(1_234_567).getBytes(StandardCharsets.UTF_8);
        byte[] quoted = ('"' + OutboxLoad.payload(42) + '"').getBytes(StandardCharsets.UTF_8);
        assertThat(plain).hasSize(OutboxLoad.BYTES);
        assertThat(OutboxLoad.number(plain)).isEqualTo(1_234_567);
        assertThat(OutboxLoad.number(quoted)).isEqualTo(42);
    }
}
