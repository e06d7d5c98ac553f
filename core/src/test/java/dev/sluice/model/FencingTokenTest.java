package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FencingTokenTest {
    @Test
    void growsByEpochAndGenerationOutranksEveryEpoch() {
        FencingToken first = new FencingToken(1, 41);
        assertThat(first.isOlderThan(first.nextEpoch())).isTrue();
        assertThat(first.isOlderThan(first)).isFalse();
        assertThat(new FencingToken(1, Long.MAX_VALUE).isOlderThan(first.nextGeneration()))
                .isTrue();
    }

    @Test
    void neverWrapsAround() {
        assertThatThrownBy(() -> new FencingToken(0, Long.MAX_VALUE).nextEpoch())
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> new FencingToken(-1, 0)).isInstanceOf(InvalidInputException.class);
    }
}
