package dev.sluice.outbox.relay;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks every few seconds whether something is there that an idle relay would not notice to be away, and says what is wrong:
 * also when the question itself gets no answer.
 */
final class Pulse implements AutoCloseable {
    static final Duration EVERY = Duration.ofSeconds(5);
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Throws when it is away. */
    interface Question {
        void ask() throws SinkUnavailableException, InterruptedException;
    }

    private final String name;
    private final Question question;
    private final LongSupplier nanos;
    private volatile String trouble = "";
    private volatile long answered;
    private @Nullable Repeating beating;

    /** @param name of whom is asked, for people */
    Pulse(String name, Question question, LongSupplier nanos) {
        this.name = name;
        this.question = question;
        this.nanos = nanos;
        this.answered = nanos.getAsLong();
    }

    void start(String thread) {
        beating = Repeating.start(thread, this::beat);
    }

    Duration beat() throws InterruptedException {
        try {
            question.ask();
            trouble = "";
        } catch (SinkUnavailableException | RuntimeException away) {
            trouble = String.valueOf(away.getMessage());
        }
        answered = nanos.getAsLong();
        return EVERY;
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
