package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetSubjectTest {
    @Test
    void itTakesTheMessagesPartitionAndSubject() {
        assertThat(new TargetSubject("out.{partition}.{subject}").of("t1.c2", "dc.t1.c2.completion"))
                .isEqualTo("out.t1.c2.dc.t1.c2.completion");
    }

    @ParameterizedTest
    @CsvSource({
        "orders.{partition}, orders.*",
        "orders.{partition}, orders.*.*",
        "orders.done, orders.>",
        "orders.done, orders.*",
        "orders.done, orders.done",
        "orders.{partition}.x, orders.eu",
        "a.b, >"
    })
    void aSubjectOfTheOwnStreamIsRefused(String template, String taken) {
        assertThatThrownBy(() -> new TargetSubject(template).requireOutside("ORDERS", List.of("other", taken)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("ORDERS")
                .hasMessageContaining("choose a subject of another stream");
    }

    @ParameterizedTest
    @CsvSource({"out.{partition}, orders.*", "orders.done, orders.*.*", "orders.done, orders.eu", "out.x, orders.>"})
    void aSubjectElsewhereIsTaken(String template, String taken) {
        assertThatCode(() -> new TargetSubject(template).requireOutside("ORDERS", List.of(taken)))
                .doesNotThrowAnyException();
    }
}
