package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RetiredConsumersTest {
    private final Server server = new Server();
    private final ManualTime time = new ManualTime();
    private ServerTrouble trouble = new ServerTrouble(time, StreamKind.INTEREST);

    @Test
    void aRetiredConsumerIsDeleted() {
        RetiredConsumers retired = retired(StreamKind.LIMITS);
        retire(retired, "a");
        retired.step();
        assertThat(server.consumers).isEmpty();
        assertThat(retired.have("p.a")).isFalse();
    }

    @Test
    void oneThatFailsIsAskedAgainAndDoesNotKeepTheOthers() {
        RetiredConsumers retired = retired(StreamKind.LIMITS);
        retire(retired, "a");
        retire(retired, "b");
        retire(retired, "c");
        server.failures.put("a", new IllegalStateException("a bug"));
        server.failures.put("b", new StreamUnavailableException("no answer", new RuntimeException()));
        assertThatThrownBy(retired::step).hasMessage("a bug");
        assertThat(server.consumers).containsExactly("a", "b");
        server.failures.clear();
        time.pass(Duration.ofSeconds(6));
        retired.step();
        assertThat(server.consumers).isEmpty();
    }

    /** A creation without an answer may take effect after the first deletion found nothing. */
    @Test
    void anUndecidedConsumerThatComesLateIsDeletedToo() {
        RetiredConsumers retired = retired(StreamKind.LIMITS);
        retired.addUndecided("late", List.of("p.late"), () -> true);
        retired.step();
        time.pass(Duration.ofSeconds(30));
        server.consumers.add("late");
        retired.step();
        assertThat(server.consumers).isEmpty();
        retired.addUndecided("never", List.of("p.never"), () -> true);
        time.pass(Duration.ofMinutes(3));
        retired.step();
        server.consumers.add("never");
        time.pass(Duration.ofMinutes(3));
        retired.step();
        assertThat(server.consumers).as("given up after two minutes").containsExactly("never");
    }

    @Test
    void consumersOfAnInterestStreamAreLeftAloneAfterTrouble() {
        RetiredConsumers retired = retired(StreamKind.INTEREST);
        retire(retired, "a");
        trouble.begins();
        time.pass(Duration.ofSeconds(4));
        retired.step();
        assertThat(server.consumers).containsExactly("a");
        time.pass(Duration.ofSeconds(2));
        retired.step();
        assertThat(server.consumers).isEmpty();
    }

    /** Or their number grows without a bound, and they keep every message of the stream. */
    @Test
    void consumersThatBreakAgainAndAgainAreDeletedWithinAMinute() {
        RetiredConsumers retired = retired(StreamKind.INTEREST);
        int most = 0;
        for (int second = 0; second < 300; second++) {
            trouble.begins();
            retire(retired, "c" + second);
            time.pass(Duration.ofSeconds(1));
            retired.step();
            most = Math.max(most, server.consumers.size());
        }
        assertThat(most).isBetween(10, 61);
    }

    private void retire(RetiredConsumers retired, String name) {
        server.consumers.add(name);
        retired.add(name, List.of("p." + name), () -> true);
    }

    private RetiredConsumers retired(StreamKind kind) {
        trouble = new ServerTrouble(time, kind);
        return new RetiredConsumers(time.context(server, kind, trouble, PartitionMap.empty()));
    }

    /** A stream of which consumers are only deleted. */
    private static final class Server implements MessageStream, Consumers {
        private final Set<String> consumers = new TreeSet<>();
        private final Map<String, RuntimeException> failures = new TreeMap<>();

        @Override
        public boolean delete(String name) {
            if (failures.containsKey(name)) {
                throw failures.get(name);
            }
            return consumers.remove(name);
        }

        @Override
        public Consumers consumers() {
            return this;
        }

        @Override
        public List<String> names(String prefix) {
            return List.copyOf(consumers);
        }

        @Override
        public Optional<ConsumerState> info(String name) {
            return Optional.empty();
        }

        @Override
        public ConsumerState create(ConsumerSpec spec) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void changeFilters(ConsumerSpec spec) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Pull pull(String consumer, Receiver receiver) {
            throw new UnsupportedOperationException();
        }

        @Override
        public StreamState state() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, Long> subjects(String filter) {
            return Map.of();
        }

        @Override
        public OptionalLong lastOf(String filter) {
            return OptionalLong.empty();
        }

        @Override
        public void whenBack(Runnable listener) {}

        @Override
        public void close() {}
    }
}
