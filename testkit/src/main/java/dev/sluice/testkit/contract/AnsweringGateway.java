package dev.sluice.testkit.contract;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Introductions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A gateway that says what came of a batch: what the test told it to. */
public abstract class AnsweringGateway implements TestGateway {
    private final List<Received> received = new ArrayList<>();
    private final List<Introductions> told = new CopyOnWriteArrayList<>();
    private volatile Function<List<Received>, BatchOutcome> answers = batch -> BatchOutcome.DELIVERED;

    /** From now on. It may block. */
    public final void answer(Function<List<Received>, BatchOutcome> script) {
        answers = script;
    }

    /** So many different answers there are that nobody can understand. */
    public abstract int kindsOfGarbage();

    /** Answers that way from now on. */
    public abstract void answerGarbage(int kind);

    /** For implementations: a batch came. */
    protected final BatchOutcome take(List<Received> batch) {
        BatchOutcome outcome = answers.apply(batch);
        synchronized (received) {
            received.addAll(batch);
        }
        return outcome;
    }

    /** For implementations: this stood before the events of a batch. */
    protected final void meet(Introductions introductions) {
        if (!introductions.isEmpty()) {
            told.add(introductions);
        }
    }

    /** What it was told, batch by batch; nothing of those that told it nothing. */
    public final List<Introductions> told() {
        return told;
    }

    @Override
    public final List<Received> received() {
        synchronized (received) {
            return List.copyOf(received);
        }
    }
}
