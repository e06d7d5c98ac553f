package dev.sluice.nats;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.contract.TestGateway;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A stream that takes a gateway's subject; gone means that there is no such stream. */
final class StreamTestGateway implements TestGateway {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String id = "stream-gw-" + COUNT.incrementAndGet();
    private final FaultProxy network;
    private final Connection connection;
    private final JetStreamManagement streams;
    private final List<Received> before = new ArrayList<>();
    private boolean there;

    StreamTestGateway(NatsServer server) throws IOException, InterruptedException {
        network = FaultProxy.inFrontOf(server.port());
        connection = Nats.connect(server.url());
        streams = connection.jetStreamManagement();
        comeBack();
    }

    @Override
    public GatewayAddress address() {
        return new GatewayAddress(id, Protocol.NATS, "nats://127.0.0.1:" + network.port());
    }

    @Override
    public List<Received> received() {
        List<Received> all = new ArrayList<>(before);
        messages().forEach(body -> all.addAll(Received.body(body)));
        return all;
    }

    /** What stands before the event of each message. */
    List<Introductions> told() {
        return messages().stream().map(Received::introductions).toList();
    }

    private List<byte[]> messages() {
        List<byte[]> all = new ArrayList<>();
        try {
            long last = there ? streams.getStreamInfo(id).getStreamState().getLastSequence() : 0;
            for (long seq = 1; seq <= last; seq++) {
                all.add(streams.getMessage(id, seq).getData());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JetStreamApiException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }

    @Override
    public void vanish() {
        before.addAll(received());
        delete();
    }

    private void delete() {
        try {
            streams.deleteStream(id);
            there = false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JetStreamApiException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void comeBack() {
        try {
            streams.addStream(StreamConfiguration.builder()
                    .name(id)
                    .subjects(EventSubject.of(id))
                    .storageType(StorageType.Memory)
                    .build());
            there = true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JetStreamApiException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void hang() {
        network.set(new Fault.Stall());
    }

    @Override
    public void goOn() {
        network.heal();
    }

    @Override
    public void close() {
        if (there) {
            delete();
        }
        network.close();
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
