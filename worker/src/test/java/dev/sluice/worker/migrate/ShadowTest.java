package dev.sluice.worker.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Consumers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShadowTest {
    /** 5,000 messages and 16 MiB for all of a worker. */
    @ParameterizedTest
    @CsvSource({"1, 500, 16777216", "10, 500, 1677721", "100, 50, 167772", "9000, 1, 16384"})
    void allShadowsOfAWorkerShareOneBound(int shadows, int messages, int bytes) {
        ComparisonScene scene = new ComparisonScene();
        Asked asked = new Asked();
        new Shadow(scene.shadow(List.of("p.0"), 1), List.of(), scene.context.directory(), shadows).open(asked);
        assertThat(asked.messages).isEqualTo(messages);
        assertThat(asked.bytes).isEqualTo(bytes);
    }

    /** Keeps what is asked for. */
    private static final class Asked implements Consumers, Consumers.Pull {
        private int messages;
        private int bytes;

        @Override
        public ConsumerState create(ConsumerSpec spec) {
            return new ComparisonScene().model.stream().consumers().create(spec);
        }

        @Override
        public Pull pull(String consumer, Receiver receiver) {
            return this;
        }

        @Override
        public void want(int most, int maxBytes) {
            messages = most;
            bytes = maxBytes;
        }

        @Override
        public int outstanding() {
            return 0;
        }

        @Override
        public void close() {}

        @Override
        public void changeFilters(ConsumerSpec spec) {}

        @Override
        public Optional<ConsumerState> info(String name) {
            return Optional.empty();
        }

        @Override
        public List<String> names(String prefix) {
            return List.of();
        }

        @Override
        public boolean delete(String name) {
            return false;
        }
    }
}
