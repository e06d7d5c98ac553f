package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OvertakeForecastTest {
    private static final long SECOND = 1_000_000_000;

    private final OvertakeForecast forecast = new OvertakeForecast(Duration.ofSeconds(3600));

    @Test
    void whoIsAtTheHeadIsNotOvertaken() {
        assertThat(forecast.update(0, 1000, 0, 1000)).isEmpty();
    }

    @Test
    void whoStandsStillIsOvertakenWhenItsPlaceIsTooOld() {
        forecast.update(0, 1000, 0, 1600);
        assertThat(forecast.update(5 * SECOND, 1000, 0, 1605)).contains(Duration.ofSeconds(3600 - 605));
    }

    @Test
    void whoCatchesUpIsNotOvertaken() {
        forecast.update(0, 1000, 0, 1600);
        assertThat(forecast.update(5 * SECOND, 1020, 0, 1605)).isEmpty();
    }

    @Test
    void aLogThatIsFullEvictsEarlier() {
        forecast.update(0, 1000, 800, 1600);
        assertThat(forecast.update(10 * SECOND, 1000, 900, 1610)).contains(Duration.ofSeconds(10));
    }
}
