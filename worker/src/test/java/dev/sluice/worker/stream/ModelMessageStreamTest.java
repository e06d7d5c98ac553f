package dev.sluice.worker.stream;

/** The model of the simulation keeps the contract of the real servers. */
class ModelMessageStreamTest extends ModelMessageStreamContract {
    ModelMessageStreamTest() {
        super(false);
    }
}
