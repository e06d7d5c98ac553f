package dev.sluice.worker.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PartitionsTest {
    @Test
    void aListNamesItsPartitionsByTheirSubjects() {
        Partitions list = Partitions.list(List.of("a.b", "a.c"));
        assertThat(list.known()).containsExactly(new PartitionSpec("a.b", "a.b"), new PartitionSpec("a.c", "a.c"));
        assertThat(list.idOf("a.c")).hasValue("a.c");
        assertThat(list.idOf("a.d")).isEmpty();
    }

    @Test
    void duplicateSubjectsAreRemovedAndCounted() {
        Partitions list = Partitions.list(List.of("a", "b", "a", "a"));
        assertThat(list.known()).hasSize(2);
        assertThat(list.duplicates()).isEqualTo(2);
        assertThat(list).isEqualTo(Partitions.list(List.of("b", "a")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".a", "a.", "a..b", "a b", "a\tb", "a.*", "a.>", "*", "$JS.API.INFO", "a\u0000"})
    void badSubjectsAreRefused(String subject) {
        assertThatThrownBy(() -> Partitions.list(List.of("ok", subject)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("partition subject");
    }

    @Test
    void anEmptyListIsRefused() {
        assertThatThrownBy(() -> Partitions.list(List.of()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("at least one");
    }

    @Test
    void aPatternNamesItsPartitionsByItsVariableTokens() {
        SubjectPattern pattern = (SubjectPattern) Partitions.pattern("dc.{tool}.{chamber}.completion");
        assertThat(pattern.filter()).isEqualTo("dc.*.*.completion");
        assertThat(pattern.idOf("dc.t1.c7.completion")).hasValue("t1.c7");
        assertThat(pattern.idOf("dc.t1.c7.start")).isEmpty();
        assertThat(pattern.idOf("dc.t1.completion")).isEmpty();
        assertThat(pattern.idOf("dc.t1.c7.completion.x")).isEmpty();
        assertThat(pattern.known()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "dc.tool.completion, no variable token",
        "dc.{tool}.*, wildcard",
        "dc.{tool}.>, wildcard",
        "dc.{tool}.{tool}, twice",
        "dc.x{tool}, braces",
        "dc.{to ol}, blank",
        "dc.{}, braces",
        "dc..{tool}, empty token"
    })
    void badPatternsAreRefused(String pattern, String reason) {
        assertThatThrownBy(() -> Partitions.pattern(pattern))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void hashedPartitionsAreSlots() {
        HashedSubjects hashed = (HashedSubjects) Partitions.hashed("orders", 3);
        assertThat(hashed.known())
                .containsExactly(
                        new PartitionSpec("0", "orders.3.0.>"),
                        new PartitionSpec("1", "orders.3.1.>"),
                        new PartitionSpec("2", "orders.3.2.>"));
        assertThat(hashed.idOf("orders.3.2.>")).hasValue("2");
        for (String other : List.of("orders.3.3.>", "orders.4.2.>", "orders.3.2", "orders.3.02.>", "orders.3.>", "x")) {
            assertThat(hashed.idOf(other)).isEmpty();
        }
    }

    @Test
    void hashedPartitionsNeedANumberAndAPlainPrefix() {
        assertThatThrownBy(() -> Partitions.hashed("orders", 0)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> Partitions.hashed("orders", 10_001)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> Partitions.hashed("orders.*", 8)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> Partitions.hashed("", 8)).isInstanceOf(InvalidInputException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "a.b, a.b, true", "a.b, a.c, false", "a.*, a.c, true", "a.*, a.c.d, false", "a.>, a.c.d, true",
        "a.>, a, false", ">, a, true", "*.b, a.b, true", "a, a.b, false", "a.b, a, false"
    })
    void filtersMatchByTheRulesOfNats(String filter, String subject, boolean matches) {
        assertThat(SubjectFilter.matches(filter, subject)).isEqualTo(matches);
    }
}
