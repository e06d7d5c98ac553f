package dev.sluice.outbox.relay;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every few seconds whether something is there that an idle relay would not notice to be away, and says what is wrong:
 * also when the question itself gets no answer.
 */
final class Pulse implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pulse.class);

    static final Duration EVERY = Duration.ofSeconds(5);
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Throws when it is away. */
    interface Question {
        void ask() throws SinkUnavailableException, InterruptedException;
    }

    private final String outbox;
    private final String name;
    private final Question question;
    private final LongSupplier nanos;
    private volatile String trouble = "";
    private volatile long answered;
    private @Nullable Repeating beating;

    /** @param name of what is asked, for people */
    Pulse(String outbox, String name, Question question, LongSupplier nanos) {
        this.outbox = outbox;
        this.name = name;
        this.question = question;
        this.nanos = nanos;
        this.answered = nanos.getAsLong();
    }

    void start(String thread) {
        beating = Repeating.start(thread, this::beat);
    }

    Duration beat() throws InterruptedException {
        String before = trouble;
        try {
            question.ask();
            trouble = "";
        } catch (SinkUnavailableException | RuntimeException away) {
            trouble = String.valueOf(away.getMessage());
        }
        answered = nanos.getAsLong();
        tell(before);
        return EVERY;
    }

    private void tell(String before) {
        if (before.isEmpty() && !trouble.isEmpty()) {
            LOG.warn("outbox {}: {} does not answer, rows wait in the table until it does: {}", outbox, name, trouble);
        } else if (!before.isEmpty() && trouble.isEmpty()) {
            LOG.info("outbox {}: {} answers again", outbox, name);
        }
    }

    /** What is wrong; empty when nothing is. */
    String trouble() {
        Duration silence = Duration.ofNanos(nanos.getAsLong() - answered);
        return silence.compareTo(EVERY.plus(PATIENCE)) > 0
                ? name + " has not answered for " + silence.toSeconds() + " s"
                : trouble;
    }

    @Override
    public void close() {
        if (beating != null) {
            beating.close();
        }
    }
}
