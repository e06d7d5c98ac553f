package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.stream.StreamState.Retention;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a receiver is told when its server or its connection fails, and that calls work again afterwards. */
class StreamFaultsTest {
    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void aServerThatRestartsBreaksThePullAndKeepsTheConsumer(NatsLine line) {
        try (NatsServer server = NatsServer.startPrivate(line);
                NatsTestStream test = fileStream(server.url())) {
            AtomicInteger back = countReturns(test);
            Received received = receiveFirst(test);
            received.deliveries.getFirst().ack();
            within(() -> test.stream().consumers().info("c").orElseThrow().ackPending() == 0);
            server.kill();
            assertThatThrownBy(() -> test.stream().state()).isInstanceOf(StreamUnavailableException.class);
            server.start();
            within(() -> back.get() == 1 && received.broken.size() == 1);
            assertThat(test.stream().state().last()).isEqualTo(1);
            assertThat(test.stream().consumers().info("c")).isPresent();
            test.publish("p.1", new byte[1]);
            try (Received next = receive(test)) {
                within(() -> next.sequences().contains(2L));
            }
        }
    }

    @Test
    void aConnectionThatIsCutBreaksThePull() {
        try (FaultProxy network = FaultProxy.inFrontOf(NatsServer.shared().port());
                NatsTestStream test = fileStream("nats://127.0.0.1:" + network.port())) {
            AtomicInteger back = countReturns(test);
            Received received = receiveFirst(test);
            network.cut();
            within(() -> isUnavailable(test));
            assertThat(received.broken).as("not before it is back").isEmpty();
            network.heal();
            within(() -> back.get() == 1 && received.broken.size() == 1);
            assertThat(received.pull.outstanding()).isZero();
            assertThat(test.stream().state().last()).isEqualTo(1);
        }
    }

    /** A connection that stays open and says nothing: only the missing heartbeats tell. */
    @Test
    void aSilentServerBreaksThePull() {
        try (NatsServer server = NatsServer.startPrivate(NatsLine.ANY);
                NatsTestStream test = fileStream(server.url());
                NatsMessageStream stream = new NatsMessageStream(
                        test.connection(),
                        test.name(),
                        Duration.ofMillis(300),
                        new PullTimes(Duration.ofSeconds(1), Duration.ofMillis(200)))) {
            stream.consumers().create(StreamScene.durable("c", "p.1"));
            Received received = new Received(stream.consumers(), "c");
            received.pull.want(10, 0);
            server.pause();
            within(() -> received.broken.size() == 1);
            assertThatThrownBy(() -> stream.consumers().info("c")).isInstanceOf(StreamUnavailableException.class);
            server.resume();
            within(() -> stream.consumers().info("c").isPresent());
        }
    }

    @Test
    void aClosedConnectionBreaksThePull() throws IOException, InterruptedException {
        String url = NatsServer.shared().url();
        Connection own = Nats.connect(url);
        try (NatsTestStream test = fileStream(url);
                NatsMessageStream stream = new NatsMessageStream(own, test.name(), Duration.ofSeconds(5))) {
            stream.consumers().create(StreamScene.durable("c", "p.1"));
            Received received = new Received(stream.consumers(), "c");
            received.pull.want(10, 0);
            test.publish("p.1", new byte[1]);
            within(() -> received.deliveries.size() == 1);
            own.close();
            within(() -> received.broken.size() == 1);
            received.deliveries.getFirst().ack();
            received.deliveries.getFirst().inProgress();
            received.pull.want(5, 0);
            assertThatThrownBy(stream::state).isInstanceOf(StreamUnavailableException.class);
            assertThatThrownBy(() -> new Received(stream.consumers(), "c"))
                    .isInstanceOf(StreamUnavailableException.class);
        }
    }

    private static boolean isUnavailable(NatsTestStream test) {
        try {
            test.stream().state();
            return false;
        } catch (StreamUnavailableException unavailable) {
            return true;
        }
    }

    private static AtomicInteger countReturns(NatsTestStream test) {
        AtomicInteger back = new AtomicInteger();
        test.stream().whenBack(() -> {
            throw new IllegalStateException("a listener that fails keeps nothing from the next one");
        });
        test.stream().whenBack(back::incrementAndGet);
        return back;
    }

    private static NatsTestStream fileStream(String url) {
        Options options = Options.builder()
                .server(url)
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(50))
                .build();
        return new NatsTestStream(options, Retention.LIMITS, -1, StorageType.File, 1);
    }

    /** A pull that has got one message and wants more. */
    private static Received receiveFirst(NatsTestStream test) {
        test.stream().consumers().create(StreamScene.durable("c", "p.1"));
        Received received = receive(test);
        test.publish("p.1", new byte[1]);
        within(() -> received.deliveries.size() == 1);
        return received;
    }

    private static Received receive(NatsTestStream test) {
        Received received = new Received(test.stream().consumers(), "c");
        received.pull.want(10, 0);
        return received;
    }

    private static void within(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }
}
