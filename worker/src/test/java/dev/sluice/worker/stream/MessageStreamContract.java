package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * What workers rely on in a stream, one test for each fact. The same tests run on real servers and on the model of the
 * simulation: a fact that holds in one and not in the other makes the simulation worthless.
 */
abstract class MessageStreamContract
        implements StreamFacts, ConsumerFacts, DeliveryFacts, PullFacts, WorkQueueFacts, InterestFacts {
    private final List<Received> opened = new ArrayList<>();
    private @Nullable TestStream test;

    /** A new stream of the subjects {@code p.>}. */
    protected abstract TestStream newStream(Retention retention, int maxConsumers);

    @Override
    public void open(Retention retention, int maxConsumers) {
        test = newStream(retention, maxConsumers);
    }

    @Override
    public TestStream test() {
        return Objects.requireNonNull(test);
    }

    @Override
    public Received receive(String consumer, int messages) {
        Received received = new Received(consumers(), consumer);
        opened.add(received);
        received.pull.want(messages, 0);
        return received;
    }

    @Override
    public void until(String what, BooleanSupplier condition) {
        Awaitility.await(what)
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(condition::getAsBoolean);
    }

    @AfterEach
    void closeStream() {
        List<Integer> overlaps =
                opened.stream().map(each -> each.overlaps.get()).toList();
        opened.forEach(Received::close);
        if (test != null) {
            test.close();
        }
        assertThat(overlaps).as("calls of a receiver come one after the other").allMatch(count -> count == 0);
    }
}
