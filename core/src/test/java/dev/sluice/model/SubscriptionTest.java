package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionTest {
    private static Subscription withTtl(Duration ttl) {
        return new Subscription(
                "s1", "gw", "", "orders", Optional.empty(), "{}", Priority.NORMAL, ttl, Optional.empty(), false, false);
    }

    @Test
    void livesFiveMinutesUnlessToldOtherwise() {
        Subscription subscription = Subscription.of("s1", "gw", "acme", "orders", "{}");
        assertThat(subscription.ttl()).isEqualTo(Duration.ofSeconds(300));
        assertThat(subscription.priority()).isEqualTo(Priority.NORMAL);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 59, 3601, -1})
    void refusesATtlOutsideOfOneMinuteToOneHour(long seconds) {
        assertThatThrownBy(() -> withTtl(Duration.ofSeconds(seconds)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("between 60 and 3600");
    }

    @Test
    void acceptsTheBoundsOfTheTtl() {
        assertThat(withTtl(Duration.ofSeconds(60)).ttl().toSeconds()).isEqualTo(60);
        assertThat(withTtl(Duration.ofSeconds(3600)).ttl().toSeconds()).isEqualTo(3600);
    }

    @Test
    void refusesMissingAndHugeNames() {
        assertThatThrownBy(() -> Subscription.of("", "gw", "", "orders", "{}")).hasMessageContaining("id");
        assertThatThrownBy(() -> Subscription.of("s", "gw", "", "", "{}")).hasMessageContaining("collection");
        assertThatThrownBy(() -> Subscription.of("s".repeat(513), "gw", "", "orders", "{}"))
                .hasMessageContaining("at most 512");
        assertThatThrownBy(() -> Subscription.of("s", "gw", "", "orders", " ".repeat(64 * 1024 + 1)))
                .hasMessageContaining("filter");
    }

    /** The Streamer marks its own owners by them: a gateway of such a name would be taken for one. */
    @ParameterizedTest
    @ValueSource(strings = {"\u0000", "\u0001", "5\u0002a", "a\nb", "\u007f", "\u0085"})
    void refusesControlCharactersInNames(String hostile) {
        String refused = "has no control characters";
        assertThatThrownBy(() -> Subscription.of(hostile, "gw", "", "orders", "{}"))
                .hasMessageContaining("id " + refused);
        assertThatThrownBy(() -> Subscription.of("s", hostile, "", "orders", "{}"))
                .hasMessageContaining("gateway id " + refused);
        assertThatThrownBy(() -> Subscription.of("s", "gw", hostile, "orders", "{}"))
                .hasMessageContaining("tenant " + refused);
        assertThatThrownBy(() -> Subscription.of("s", "gw", "", hostile, "{}"))
                .hasMessageContaining("collection " + refused);
    }

    @Test
    void prioritiesAreSpelledInLowerCase() {
        assertThat(Priority.parse("low")).isEqualTo(Priority.LOW);
        assertThatThrownBy(() -> Priority.parse("LOW")).hasMessageContaining("high, normal, low");
    }
}
