package dev.sluice.subscribe;

import static dev.sluice.subscribe.Registries.gateway;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatewayRegistryTest {
    private final Registries here = new Registries();
    private final GatewayRegistry gateways = here.gateways;

    @Test
    void aGatewayThatBeatsStaysUp() {
        gateways.register(gateway("g"));
        for (int k = 0; k < 10; k++) {
            here.pass(Duration.ofSeconds(29));
            assertThat(gateways.heartbeat("g")).isTrue();
        }
        assertThat(here.heard()).containsExactly("up g at http://localhost:1");
        assertThat(gateways.find("g").orElseThrow().up()).isTrue();
    }

    @Test
    void oneThatStopsIsAwayAfterTheLeaseAndGoneAfterTheGrace() {
        gateways.register(gateway("g"));
        here.pass(Duration.ofSeconds(30));
        assertThat(here.heard()).containsExactly("up g at http://localhost:1");
        here.pass(Duration.ofSeconds(1));
        assertThat(here.heard()).containsExactly("away g");
        assertThat(gateways.find("g").orElseThrow().up()).isFalse();
        here.pass(Duration.ofSeconds(300));
        assertThat(here.heard()).isEmpty();
        here.pass(Duration.ofSeconds(1));
        assertThat(here.heard()).containsExactly("gone g");
        assertThat(gateways.list()).isEmpty();
        assertThat(gateways.heartbeat("g")).as("it must register again").isFalse();
        assertThat(here.restarted().gateways.list()).isEmpty();
    }

    @Test
    void oneThatComesBackWithinTheGraceIsUpAgain() {
        gateways.register(gateway("g"));
        here.pass(Duration.ofSeconds(31));
        here.heard();
        assertThat(gateways.heartbeat("g")).isTrue();
        assertThat(here.heard()).containsExactly("up g at http://localhost:1");
        here.pass(Duration.ofSeconds(31));
        gateways.register(gateway("g"));
        assertThat(here.heard()).containsExactly("away g", "up g at http://localhost:1");
    }

    @Test
    void anotherAddressIsToldAndSoIsARegistrationWhereItIs() {
        gateways.register(gateway("g"));
        gateways.register(gateway("g"));
        gateways.register(new GatewayAddress("g", Protocol.GRPC, "localhost:2"));
        assertThat(here.heard()).containsExactly("up g at http://localhost:1", "again g", "up g at localhost:2");
        assertThat(gateways.find("g").orElseThrow().address().protocol()).isEqualTo(Protocol.GRPC);
    }

    @Test
    void afterARestartAKnownGatewayIsUpForALease() {
        gateways.register(gateway("g"));
        here.pass(Duration.ofSeconds(31));
        Registries later = here.restarted();
        assertThat(later.heard()).as("who listens is told at once").containsExactly("up g at http://localhost:1");
        later.pass(Duration.ofSeconds(31));
        assertThat(later.heard()).containsExactly("away g");
    }

    @Test
    void whoListensLaterHearsWhoIsAway() {
        gateways.register(gateway("g"));
        here.pass(Duration.ofSeconds(31));
        List<String> late = new ArrayList<>();
        gateways.listen(new GatewayListener() {
            @Override
            public void up(GatewayAddress gateway) {
                late.add("up");
            }

            @Override
            public void away(String gatewayId) {
                late.add("away");
            }

            @Override
            public void gone(String gatewayId) {}
        });
        assertThat(late).containsExactly("up", "away");
    }

    @Test
    void thereAreNotMoreThanAllowed() {
        GatewayRegistry few = new GatewayRegistry(
                new GatewayLeases(Duration.ofSeconds(1), Duration.ZERO, 1), here.store, here.nanos::get);
        few.register(gateway("g"));
        assertThatThrownBy(() -> few.register(gateway("h")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("1 gateways already");
        few.register(gateway("g"));
        assertThat(few.remove("g")).isTrue();
        assertThat(few.remove("g")).isFalse();
        few.register(gateway("h"));
        assertThat(few.size()).isEqualTo(1);
    }

    @Test
    void aListenerThatFailsDoesNotKeepTheOthersFromHearing() {
        GatewayRegistry registry = new GatewayRegistry(GatewayLeases.DEFAULT, here.store, here.nanos::get);
        int[] heard = new int[1];
        for (boolean fails : new boolean[] {true, false}) {
            registry.listen(new GatewayListener() {
                @Override
                public void up(GatewayAddress gateway) {
                    heard[0]++;
                    if (fails) {
                        throw new IllegalStateException("on purpose");
                    }
                }

                @Override
                public void away(String gatewayId) {}

                @Override
                public void gone(String gatewayId) {}
            });
        }
        registry.register(gateway("g"));
        assertThat(heard[0]).isEqualTo(2);
    }

    @Test
    void oneThatCannotBeForgottenIsGoneLater() {
        gateways.register(gateway("g"));
        here.pass(Duration.ofSeconds(31));
        here.heard();
        here.store.fails = true;
        here.pass(Duration.ofSeconds(301));
        assertThat(here.heard()).isEmpty();
        here.store.fails = false;
        here.pass(Duration.ofSeconds(1));
        assertThat(here.heard()).containsExactly("gone g");
    }
}
