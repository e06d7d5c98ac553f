package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestRunTest {

    @Test
    void aServerThatCannotBeClosedKeepsNeitherTheOthersNorTheFolder() {
        var run = new TestRun();
        List<Integer> closed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            run.opened(() -> {
                closed.add(number);
                throw new IllegalStateException("cannot be closed");
            });
        }
        run.end();
        assertThat(closed).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(run.folder()).doesNotExist();
    }
}
