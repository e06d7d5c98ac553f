package dev.sluice.nats;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.AnsweringGateway;
import dev.sluice.testkit.contract.GatewayReplies;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.Nats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers requests by way of a real NATS server; the network between that and the deliverer can be turned bad. */
final class NatsTestGateway extends AnsweringGateway {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final List<String> GARBAGE = List.of(
            "",
            "ok",
            "[]",
            "{",
            "{\"a\":".repeat(50_000),
            "{\"rejections\":\"all\"}",
            "{\"rejections\":[7]}",
            "{\"accepted\":2,\"rejections\":[{\"index\":2,\"reason\":\"there is none\"}]}",
            "{\"accepted\":1}",
            "{\"error\":\"no such route\"}",
            "{\"rejections\":[{\"index\":\"0\"}]}",
            "{\"retry\":\"soon\",\"retryAfter\":\"tomorrow\"}");

    private final String id = "gw-" + COUNT.incrementAndGet();
    private final FaultProxy network;
    private final Connection connection;
    private Dispatcher dispatcher;
    private volatile int garbage = -1;

    NatsTestGateway(NatsServer server) throws IOException, InterruptedException {
        network = FaultProxy.inFrontOf(server.port());
        connection = Nats.connect(server.url());
        dispatcher = listen();
    }

    private Dispatcher listen() {
        Dispatcher anew = connection.createDispatcher(
                message -> Thread.ofVirtual().start(() -> connection.publish(message.getReplyTo(), reply(message))));
        anew.subscribe(EventSubject.of(id));
        flush();
        return anew;
    }

    private byte[] reply(Message message) {
        List<Received> batch = Received.body(message.getData());
        meet(Received.introductions(message.getData()));
        if (garbage >= 0) {
            return GARBAGE.get(garbage).getBytes(StandardCharsets.UTF_8);
        }
        BatchOutcome outcome = take(batch);
        return GatewayReplies.write(outcome, batch.size());
    }

    private void flush() {
        try {
            connection.flush(Duration.ofSeconds(5));
        } catch (TimeoutException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public GatewayAddress address() {
        return new GatewayAddress(id, Protocol.NATS, "nats://127.0.0.1:" + network.port());
    }

    @Override
    public int kindsOfGarbage() {
        return GARBAGE.size();
    }

    @Override
    public void answerGarbage(int kind) {
        garbage = kind;
    }

    @Override
    public void vanish() {
        connection.closeDispatcher(dispatcher);
        flush();
    }

    @Override
    public void comeBack() {
        dispatcher = listen();
    }

    @Override
    public void hang() {
        network.set(new Fault.Stall());
    }

    @Override
    public void goOn() {
        network.heal();
    }

    void cut() {
        network.cut();
    }

    void heal() {
        network.heal();
    }

    @Override
    public void close() {
        network.close();
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
