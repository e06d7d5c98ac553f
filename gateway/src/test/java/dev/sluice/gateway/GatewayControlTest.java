package dev.sluice.gateway;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.StreamerGrpcServer;
import dev.sluice.model.Places;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.net.ListenAddress;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.StreamProgress;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A gateway and the Streamer's real control plane. */
@Timeout(60)
class GatewayControlTest {
    private final InMemorySubscriptions store = new InMemorySubscriptions();
    private final GatewayRegistry gateways =
            new GatewayRegistry(new GatewayLeases(Duration.ofSeconds(1), Duration.ZERO, 10), store, System::nanoTime);
    private final SubscriptionRegistry subscriptions = new SubscriptionRegistry(
            new SubscriptionQuotas(2, 10, 10),
            store,
            gateways,
            System::nanoTime,
            new Homes(Homes.Unclaimed.WAIT),
            () -> Places.of(ProgressMarker.decode(this.progress)),
            InstantSource.system());
    private final List<ReceivedEvent> told = new CopyOnWriteArrayList<>();
    private volatile String progress = marker(100);
    private StreamerGrpcServer server;
    private Gateway gateway;

    @BeforeEach
    void start() throws Exception {
        var control = new ControlPlane(subscriptions, gateways, new StreamProgress() {
            @Override
            public String head() {
                return progress;
            }

            @Override
            public String lowWater(String gatewayId) {
                return progress;
            }
        });
        server = StreamerGrpcServer.start(ListenAddress.loopback(0), ServerSecurity.NONE, control);
        gateway = Gateway.builder("g").streamer("127.0.0.1:" + server.port()).start();
        await("it is registered", () -> gateways.find("g").isPresent());
    }

    @AfterEach
    void stop() {
        gateway.close();
        server.close();
    }

    private String subscribe(String id) {
        return gateway.subscribe(Subscription.of(id, "g", "acme", "orders", "{\"n\": 1}"), told::add);
    }

    private Places start(String id) {
        return Objects.requireNonNull(subscriptions.view().find(id)).start();
    }

    private static Places at(int n) {
        return Places.of(ProgressMarker.decode(marker(n)));
    }

    @Test
    void itIsWhereTheStreamerThinksItIsAndStaysUpByItsBeats() throws Exception {
        assertThat(gateways.find("g").orElseThrow().address())
                .isEqualTo(new GatewayAddress("g", dev.sluice.deliver.Protocol.HTTP, gateway.address(), true));
        assertThat(subscribe("s")).isEqualTo(marker(100));
        progress = marker(200);
        await("its marker moves", () -> gateway.progress("s").equals(marker(200)));
        assertThat(gateways.step()).isZero();
    }

    @Test
    void aFullQuotaIsARefusalWithItsReason() {
        subscribe("one");
        subscribe("two");
        assertThatThrownBy(() -> subscribe("three"))
                .isInstanceOf(QuotaExceededException.class)
                .hasMessageContaining("2");
        assertThat(gateway.subscriptions()).isEqualTo(2);
    }

    @Test
    void whatExpiredOrWasRemovedIsMadeAgainFromWhereItWas() throws Exception {
        subscribe("s");
        progress = marker(150);
        await("its marker moves", () -> gateway.progress("s").equals(marker(150)));
        subscriptions.remove(List.of("s"));
        await("it is there again", () -> subscriptions.find("s").isPresent());
        assertThat(start("s")).isEqualTo(at(150));
        assertThat(told).isEmpty();
    }

    @Test
    void aGatewayThatWasGivenUpComesBackWithItsSubscriptions() throws Exception {
        subscribe("s");
        gateways.remove("g");
        await(
                "both are there again",
                () -> gateways.find("g").isPresent() && subscriptions.find("s").isPresent());
        assertThat(start("s")).isEqualTo(at(100));
    }

    @Test
    void whoNeverHadAMarkerIsToldToResyncWhenTheStreamerLostIt() throws Exception {
        try (StandInStreamer old = new StandInStreamer();
                Gateway other = Gateway.builder("g").streamer(old.address()).start()) {
            old.progress = "";
            await("it is registered", () -> old.gateways.containsKey("g"));
            assertThat(other.subscribe(Subscription.of("s", "g", "acme", "orders", "{}"), told::add))
                    .isEmpty();
            old.subscriptions.remove("s");
            await("it is told", () -> !told.isEmpty());
            assertThat(told.getFirst().type()).isEqualTo(EventType.RESYNC);
            assertThat(old.subscriptions).containsKey("s");
        }
    }

    @Test
    void oneThatIsRefusedDoesNotEndTheRenewalsOfTheOthers() {
        HeldSubscriptions held = new HeldSubscriptions();
        for (String id : List.of("a", "b")) {
            Subscription subscription = Subscription.of(id, "g", "acme", "orders", "{}");
            subscriptions.register(List.of(subscription));
            HeldSubscription made = new HeldSubscription(subscription, told::add, new Repeats(8), System::nanoTime);
            made.answered(progress);
            held.change(id, none -> made);
        }
        List<HeldSubscription> inOrder = List.copyOf(held.all());
        subscriptions.remove(List.of(inOrder.getFirst().id()));
        subscriptions.register(List.of(Subscription.of("takes-its-place", "g", "acme", "orders", "{}")));
        progress = marker(200);
        try (StreamerLink link = new StreamerLink(StreamerAccess.to("127.0.0.1:" + server.port()))) {
            new Registrations(
                            held,
                            new Adopted(null, 8, System::nanoTime),
                            link,
                            java.time.Clock.systemUTC(),
                            new PassedPartitions(),
                            1)
                    .renew();
        }
        assertThat(inOrder.getFirst().progress()).isEqualTo(marker(100));
        assertThat(inOrder.getLast().progress()).isEqualTo(marker(200));
        assertThat(told).isEmpty();
    }

    @Test
    void unsubscribingEndsItThere() {
        subscribe("s");
        gateway.unsubscribe("s");
        assertThat(subscriptions.find("s")).isEmpty();
    }
}
