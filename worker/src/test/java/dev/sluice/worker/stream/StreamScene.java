package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

/** A stream under test, and the words in which facts about it are told. */
interface StreamScene {
    /** Long enough that nothing is delivered again within a test. */
    Duration NEVER_AGAIN = Duration.ofMinutes(2);

    Duration SOON_AGAIN = Duration.ofMillis(150);

    /** Makes a new stream of the subjects {@code p.>}, which the test uses. */
    void open(Retention retention, int maxConsumers);

    /** The stream that the test has opened. */
    TestStream test();

    /** Opens a pull that asks for messages. */
    Received receive(String consumer, int messages);

    /** Waits until the condition holds, or fails. A model lets its own time pass here. */
    void until(String what, BooleanSupplier condition);

    default void limits() {
        open(Retention.LIMITS, -1);
    }

    default void workQueue() {
        open(Retention.WORK_QUEUE, -1);
    }

    default void interest() {
        open(Retention.INTEREST, -1);
    }

    default MessageStream stream() {
        return test().stream();
    }

    default Consumers consumers() {
        return stream().consumers();
    }

    default ConsumerState create(ConsumerSpec spec) {
        return consumers().create(spec);
    }

    /** The answer to a change may be old: only INFO proves it. */
    default void changeFilters(ConsumerSpec spec) {
        consumers().changeFilters(spec);
        until(
                "INFO shows the filters",
                () -> List.copyOf(consumers().info(spec.name()).orElseThrow().filters())
                        .equals(spec.filters()));
    }

    default void publish(String subject, int count) {
        for (int number = 0; number < count; number++) {
            test().publish(subject, new byte[] {'x'});
        }
    }

    default void publishInTurns(int rounds, String... subjects) {
        for (int round = 0; round < rounds; round++) {
            Arrays.stream(subjects).forEach(subject -> publish(subject, 1));
        }
    }

    default Received awaitCount(Received received, int count) {
        until(count + " deliveries", () -> received.deliveries.size() >= count);
        return received;
    }

    static List<Long> upTo(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    static ConsumerSpec durable(String name, String... filters) {
        return durable(name, NEVER_AGAIN, filters);
    }

    static ConsumerSpec durable(String name, Duration ackWait, String... filters) {
        return new ConsumerSpec(name, List.of(filters), 0, true, ackWait, 100, 16, null, false);
    }

    static ConsumerSpec catchUp(String name, long start, String... filters) {
        return new ConsumerSpec(
                name, List.of(filters), start, false, NEVER_AGAIN, 100, 16, Duration.ofMinutes(1), true);
    }

    static ConsumerSpec inactive(String name, Duration threshold) {
        return new ConsumerSpec(name, List.of("p.1"), 0, true, NEVER_AGAIN, 100, 16, threshold, false);
    }

    static void assertRefused(int code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        StreamRefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }
}
