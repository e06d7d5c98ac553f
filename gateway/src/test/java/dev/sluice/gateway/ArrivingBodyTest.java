package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivingBodyTest {
    private static final int LONGEST = 300_000;

    private final GatewayCounters counters = new GatewayCounters();
    private final Intake intake = new Intake(
            new Receiver(
                    new HeldSubscriptions(),
                    new Adopted(null, 8, () -> 0),
                    new Strangers(null, 8, Duration.ZERO, new EarlierSubscriptions(() -> 0), () -> 0),
                    counters,
                    new PassedPartitions()),
            counters,
            LONGEST);

    private final ArrivingBody body = new ArrivingBody(intake.arrival(), LONGEST);

    private static ByteArrayInputStream text(int bytes) {
        return new ByteArrayInputStream("x".repeat(bytes).getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, 131_072, 262_144, 299_999, LONGEST})
    void aBodyOfAnyLengthIsReadWhole(int length) throws Exception {
        assertThat(body.read(text(length))).contains("x".repeat(length));
    }

    @Test
    void aBodyThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> body.read(text(LONGEST + 1))).isInstanceOf(ArrivingBody.TooLargeException.class);
    }
}
