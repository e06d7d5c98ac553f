package dev.sluice.testkit.contract;

import dev.sluice.deliver.BatchOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A gateway that says what came of a batch: what the test told it to. */
public abstract class AnsweringGateway implements TestGateway {
    private final List<Received> received = new ArrayList<>();
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

    @Override
    public final List<Received> received() {
        synchronized (received) {
            return List.copyOf(received);
        }
    }
}
