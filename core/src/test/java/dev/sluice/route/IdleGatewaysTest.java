package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A partition's turn loops over its groups: a gateway costs a turn only while it has a group. */
class IdleGatewaysTest {
    private static final int GATEWAYS = 50;

    private final Scene scene = new Scene(StreamerSettings.DEFAULT);

    private long groups() {
        return scene.streamer.owned().stream()
                .flatMap(partition -> partition.streams().stream())
                .flatMap(stream -> stream.groups().all())
                .count();
    }

    private void populate() {
        for (int k = 0; k < GATEWAYS; k++) {
            scene.up("g" + k);
            scene.subscribe("s" + k, "g" + k);
        }
        scene.run(1_000);
    }

    @Test
    void aGatewayThatHasAcknowledgedAllHasNoGroup() {
        populate();
        assertThat(groups()).as("before the first event").isZero();
        scene.changes(20);
        scene.run(5_000);
        assertThat(Stream.of("g0", "g" + (GATEWAYS - 1)))
                .allSatisfy(id -> assertThat(scene.gateway(id).firsts).hasSize(20));
        assertThat(groups()).as("after each has acknowledged all").isZero();
    }

    @Test
    void readingForOneGatewayBehindMakesNoGroupsForTheOthers() {
        populate();
        scene.streamer.away("g0");
        scene.changes(1_500);
        scene.run(20_000);
        assertThat(groups()).as("of the one that is away").isOne();
        scene.streamer.up(Scene.address("g0"));
        scene.run(60_000);
        assertThat(scene.gateway("g0").firsts).hasSize(1_500);
        assertThat(groups()).as("after it has caught up").isZero();
    }

    @Test
    void aGatewayThatIsAwayHasAGroupOnlyWhenItMissesSomething() {
        populate();
        for (int k = 0; k < GATEWAYS; k++) {
            scene.streamer.away("g" + k);
        }
        scene.run(1_000);
        assertThat(groups()).as("away, with nothing missed").isZero();
        scene.change("d");
        scene.run(1_000);
        assertThat(groups()).as("away, behind").isEqualTo(GATEWAYS);
        for (int k = 0; k < GATEWAYS; k++) {
            scene.streamer.up(Scene.address("g" + k));
        }
        scene.run(20_000);
        assertThat(groups()).as("after all have caught up").isZero();
    }
}
