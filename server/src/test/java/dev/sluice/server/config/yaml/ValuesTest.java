package dev.sluice.server.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {

    @ParameterizedTest
    @CsvSource({"50ms,PT0.05S", "5s,PT5S", "3m,PT3M", "1h,PT1H", "7d,PT168H", "0s,PT0S", "36500d,PT876000H"})
    void durationsHaveOneUnit(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
        assertThat(Durations.parse(Durations.format(expected))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "5 s",
                "1.5h",
                "-1s",
                "5S",
                "5sec",
                "s",
                "PT5S",
                "9999999999999999999d",
                "99999999d",
                "36501d",
                "3153600000001ms",
                "٣s"
            })
    void otherDurationsAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.parse(text));
    }

    @ParameterizedTest
    @CsvSource({"10000,PT10S", "PT29S,PT29S", "5s,PT5S", "pt1m,PT1M"})
    void springDurationsMayBeMillisecondsOrIso(String text, Duration expected) {
        assertThat(Durations.parseAlsoMillis(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-5S", "P", "PX", "-5", "five", "PT9999999999H", "3153600000001"})
    void otherSpringDurationsAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.parseAlsoMillis(text));
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1024,1024", "1KiB,1024", "64MiB,67108864", "10GiB,10737418240", "1TiB,1099511627776"})
    void sizesAreBinaryOrPlainBytes(String text, long bytes) {
        assertThat(DataSize.parse(text).bytes()).isEqualTo(bytes);
        assertThat(DataSize.parse(DataSize.parse(text).toString()).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"10GB,10GiB", "5mb,5MiB", "3 KiB,3KiB", "2t,2TiB"})
    void aSizeInAnotherUnitIsToldTheRightOne(String text, String right) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataSize.parse(text))
                .withMessageEndingWith("write " + right);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5GiB", "GiB", "9223372036854775808", "99999999999TiB"})
    void otherSizesAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> DataSize.parse(text));
    }

    @Test
    void theNearestNameIsFoundAndAFarOneIsNot() {
        var known = List.of("batch_size", "batch_interval", "queue_size", "path");
        assertThat(Names.nearest("bach_size", known)).contains("batch_size");
        assertThat(Names.nearest("batchsize", known)).contains("batch_size");
        assertThat(Names.nearest("pahT", known)).contains("path");
        assertThat(Names.nearest("batch_int", known)).contains("batch_interval");
        assertThat(Names.nearest("elephant", known)).isEmpty();
        assertThat(Names.nearest("x".repeat(100_000), known)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "mongodb://u:p@ss@h/d, mongodb://***@h/d",
        "jdbc:postgresql://h/d?user=u&password=x, jdbc:postgresql://h/d?user=u&password=***",
        "nats://127.0.0.1:4222, nats://127.0.0.1:4222",
        "mongodb://u:p w@h/d, mongodb://***@h/d",
        "mongodb:/u:pw@h/d, mongodb:/***@h/d",
        "mongodb://u:cut-off, mongodb://u:***",
        "'mongodb://a:1,b:2/d', 'mongodb://a:1,b:2/d'",
        "http://[::1]:2379, http://[::1]:2379"
    })
    void passwordsInConnectionStringsAreMasked(String text, String shown) {
        assertThat(ConnectionString.parse(text)).hasToString(shown);
    }
}
