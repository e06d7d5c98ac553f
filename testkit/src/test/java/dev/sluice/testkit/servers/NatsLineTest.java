package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NatsLineTest {

    @ParameterizedTest
    @CsvSource({
        "ANY,     2,  9, false", "ANY,     2, 10, true ", "ANY,     2, 12, true ", "ANY,     3, 0, true ",
        "V2_10,   2,  9, false", "V2_10,   2, 10, true ", "V2_10,   2, 12, false", "V2_10,   3, 0, false",
        "NEWEST,  2,  9, false", "NEWEST,  2, 10, false", "NEWEST,  2, 12, true ", "NEWEST,  3, 0, true ",
    })
    void aServerOnThePathServesTheLinesItSuits(NatsLine line, int major, int minor, boolean suits) {
        assertThat(line.suits(new ProgramOnPath.Version(major, minor))).isEqualTo(suits);
    }

    @ParameterizedTest
    @CsvSource({"ANY, 2.10 or newer on", "V2_10, 2.10 on", "NEWEST, 2.11 or newer on"})
    void theRemedyOfALineNamesWhatWouldSuit(NatsLine line, String versions) {
        assertThat(line.remedy()).startsWith("install nats-server " + versions + " the PATH, or ");
    }
}
