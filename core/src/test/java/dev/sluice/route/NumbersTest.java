package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumbersTest {
    private final Numbers numbers = new Numbers();

    @Test
    void eachCountsFromOneAndGoesOnWhenItComesAgain() {
        assertThat(numbers.next("a")).isEqualTo(1);
        assertThat(numbers.next("a")).isEqualTo(2);
        assertThat(numbers.next("b")).isEqualTo(1);
        numbers.end("a");
        assertThat(numbers.next("a")).isEqualTo(3);
    }

    /** Its gateway may not have forgotten it. */
    @Test
    void oneThatWasForgottenDoesNotUseANumberTwice() {
        for (int k = 0; k < 5; k++) {
            numbers.next("a");
        }
        numbers.end("a");
        for (int k = 0; k < 20_000; k++) {
            numbers.next("s" + k);
            numbers.end("s" + k);
        }
        assertThat(numbers.next("a")).isGreaterThan(5);
    }
}
