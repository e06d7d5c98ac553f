package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Node;
import dev.sluice.worker.deadletter.DeadLetter;
import dev.sluice.worker.deadletter.DeadLetters;
import dev.sluice.worker.deadletter.LetterId;
import dev.sluice.worker.deadletter.LetterPage;
import dev.sluice.worker.deadletter.PutOutcome;
import dev.sluice.worker.deadletter.RetryOutcome;
import dev.sluice.worker.deadletter.StoredLetter;
import java.util.Optional;

/** The dead letters of the simulation as one process sees them: they are kept in the ledger. */
record SimulatedDeadLetters(WorkerWorld world, Node node) implements DeadLetters {
    @Override
    public PutOutcome put(DeadLetter letter) {
        return world.ask(
                        node,
                        "dead letter " + letter.id().sequence() + " of " + letter.partition(),
                        () -> world.ledger.deadLetter(
                                letter.partition(), letter.id().sequence()))
                .orElseGet(() -> new PutOutcome.Unavailable("no answer"));
    }

    @Override
    public LetterPage list(long after, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<StoredLetter> show(LetterId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RetryOutcome retry(LetterId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean delete(LetterId id) {
        throw new UnsupportedOperationException();
    }
}
