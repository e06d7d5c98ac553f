package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenedTest {
    private final List<String> closed = new ArrayList<>();

    private void start(boolean fails) {
        try (var opened = new Opened()) {
            opened.add(() -> closed.add("log"));
            opened.add(() -> {
                closed.add("server");
                throw new IllegalStateException("will not close");
            });
            if (fails) {
                throw new IllegalStateException("no start");
            }
            opened.keep();
        }
    }

    @Test
    void aFailedStartClosesWhatItOpenedLastFirstAndAllOfIt() {
        assertThatThrownBy(() -> start(true)).hasMessage("no start");
        assertThat(closed).containsExactly("server", "log");
    }

    @Test
    void aStartThatSucceededClosesNothing() {
        start(false);
        assertThat(closed).isEmpty();
    }
}
