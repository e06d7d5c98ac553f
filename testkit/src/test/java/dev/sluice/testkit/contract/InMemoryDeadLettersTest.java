package dev.sluice.testkit.contract;

import dev.sluice.lane.DeadLetters;
import dev.sluice.lane.InMemoryDeadLetters;

class InMemoryDeadLettersTest extends DeadLettersContract {
    @Override
    protected DeadLetters open() {
        return new InMemoryDeadLetters();
    }

    /** They live as long as the object does. */
    @Override
    protected DeadLetters reopen(DeadLetters letters) {
        return letters;
    }
}
