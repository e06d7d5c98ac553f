package dev.sluice.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Protocol;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import org.junit.jupiter.api.Test;

class ControlPlaneTest {
    private final Registries registries = new Registries();

    private ControlPlane control(Protocol usual) {
        return new ControlPlane(
                registries.subscriptions,
                registries.gateways,
                StreamProgress.UNKNOWN,
                usual,
                any -> {},
                subscription -> {
                    if (subscription.failover()) {
                        throw new InvalidInputException("not here");
                    }
                });
    }

    @Test
    void aGatewayThatDoesNotSayItsProtocolHasTheUsualOne() {
        assertThat(control(Protocol.GRPC).protocol("")).isEqualTo(Protocol.GRPC);
        assertThat(control(Protocol.HTTP).protocol("")).isEqualTo(Protocol.HTTP);
        assertThat(control(Protocol.GRPC).protocol("nats")).isEqualTo(Protocol.NATS);
    }

    @Test
    void whatCannotBeServedIsRefusedAtItsPlaceAndTheOthersAreTaken() {
        SubscriptionBatch batch = new SubscriptionBatch();
        batch.add("a", () -> Subscription.of("a", "g", "", "c", "{}"));
        batch.add("b", () -> Registries.living("b", "g", Subscription.DEFAULT_TTL, true));
        batch.add("c", () -> Subscription.of("c", "g", "", "c", "{"));
        batch.add("d", () -> Subscription.of("d", "g", "", "c", "{}"));
        ControlPlane.Registration answer = control(Protocol.HTTP).register(batch);
        assertThat(answer.accepted()).isEqualTo(2);
        assertThat(answer.refusals()).extracting(Refusal::index).containsExactly(1, 2);
        assertThat(answer.refusals().getFirst().reason()).isEqualTo("not here");
        assertThat(registries.subscriptions.find("d")).isPresent();
        assertThat(registries.subscriptions.find("b")).isEmpty();
    }

    @Test
    void theMarkerIsTheLowestStartOfThoseAcceptedWhereHeadsAreKnown() {
        KnownHeads heads = new KnownHeads();
        heads.head = 5;
        Registries known = new Registries(
                SubscriptionQuotas.DEFAULT, new Registries.FailingStore(), new Homes(Homes.Unclaimed.WAIT), heads);
        ControlPlane control = new ControlPlane(known.subscriptions, known.gateways, StreamProgress.UNKNOWN);
        assertThat(register(control, "a")).isEqualTo(KnownHeads.marker(5).encode());
        heads.head = 9;
        assertThat(register(control, "b")).isEqualTo(KnownHeads.marker(9).encode());
        assertThat(register(control, "b", "a")).isEqualTo(KnownHeads.marker(5).encode());
    }

    private static String register(ControlPlane control, String... ids) {
        SubscriptionBatch batch = new SubscriptionBatch();
        for (String id : ids) {
            batch.add(id, () -> Subscription.of(id, "g", "", "c", "{}"));
        }
        return control.register(batch).progress();
    }
}
