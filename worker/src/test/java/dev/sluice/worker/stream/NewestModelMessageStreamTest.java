package dev.sluice.worker.stream;

/** The same for what the newest server does otherwise. */
class NewestModelMessageStreamTest extends ModelMessageStreamContract {
    NewestModelMessageStreamTest() {
        super(true);
    }
}
