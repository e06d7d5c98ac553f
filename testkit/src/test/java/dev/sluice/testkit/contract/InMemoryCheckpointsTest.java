package dev.sluice.testkit.contract;

import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.InMemoryCheckpoints;

class InMemoryCheckpointsTest extends CheckpointStoreContract {
    private final InMemoryCheckpoints checkpoints = new InMemoryCheckpoints();

    @Override
    protected CheckpointStore open() {
        return checkpoints;
    }

    @Override
    protected CheckpointStore reopen() {
        return checkpoints;
    }
}
