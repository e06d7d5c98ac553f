package dev.sluice.worker.deadletter;

import dev.sluice.testkit.servers.NatsLine;

final class JetStreamDeadLetters210Test extends JetStreamDeadLettersTest {
    @Override
    NatsLine line() {
        return NatsLine.V2_10;
    }
}
