package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.stream.StreamState.Retention;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The answers of JetStream about a stream that workers depend on. */
interface StreamFacts extends StreamScene {
    @Test
    default void aNewStreamIsEmpty() {
        limits();
        assertThat(stream().state().first()).isEqualTo(1);
        assertThat(stream().state().last()).isZero();
        assertThat(stream().state().retention()).isEqualTo(Retention.LIMITS);
    }

    @Test
    default void anEmptiedStreamBeginsAfterItsLastMessage() {
        limits();
        publish("p.1", 3);
        test().purgeBefore(4);
        assertThat(stream().state().first()).isEqualTo(4);
        assertThat(stream().state().last()).isEqualTo(3);
    }

    @Test
    default void stateTellsTheRetention() {
        workQueue();
        assertThat(stream().state().retention()).isEqualTo(Retention.WORK_QUEUE);
        test().close();
        interest();
        assertThat(stream().state().retention()).isEqualTo(Retention.INTEREST);
    }

    @Test
    default void subjectsAreCounted() {
        limits();
        publish("p.1", 2);
        publish("p.2", 1);
        assertThat(stream().subjects("p.>")).isEqualTo(Map.of("p.1", 2L, "p.2", 1L));
        assertThat(stream().subjects("p.1")).isEqualTo(Map.of("p.1", 2L));
        assertThat(stream().subjects("p.3")).isEmpty();
    }

    @Test
    default void lastOfFindsTheLastMessageOfASubjectOrAWildcard() {
        limits();
        publish("p.1", 2);
        publish("p.2", 1);
        assertThat(stream().lastOf("p.1")).isEqualTo(OptionalLong.of(2));
        assertThat(stream().lastOf("p.*")).isEqualTo(OptionalLong.of(3));
        assertThat(stream().lastOf("p.3")).isEmpty();
    }
}
