package dev.sluice.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The process works on without the loop: whoever reads the log must learn of it. */
class EndedLoopTest {
    private static final Logger LOOP = (Logger) LoggerFactory.getLogger(Loop.class);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        LOOP.setLevel(Level.INFO); // whatever the tests before this one set
        LOOP.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        LOOP.detachAppender(lines);
        LOOP.setLevel(null);
    }

    @Test
    void aLoopThatEndsThoughItShouldRunIsLoggedWithItsCause() {
        Loop loop = new Loops().loop("ended-loop-test").start(() -> {
            throw new InterruptedException("by a stranger");
        });
        assertThat(loop.join(Duration.ofSeconds(30))).isTrue();
        assertThat(lines.list)
                .filteredOn(line -> line.getFormattedMessage().contains("ended-loop-test"))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getLevel()).isEqualTo(Level.ERROR);
                    assertThat(line.getFormattedMessage()).isEqualTo("Loop ended-loop-test has ended");
                    assertThat(line.getThrowableProxy().getMessage()).isEqualTo("by a stranger");
                });
        loop.close();
    }
}
