package dev.sluice.worker.stream;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.stream.StreamState.Retention;

class NewestNatsMessageStreamTest extends MessageStreamContract {
    @Override
    protected TestStream newStream(Retention retention, int maxConsumers) {
        return NatsTestStream.of(NatsServer.shared(NatsLine.NEWEST), retention, maxConsumers);
    }
}
