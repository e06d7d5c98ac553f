package dev.sluice.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Priority;
import dev.sluice.subscribe.Home;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rows 27 and 28: who serves what has no gateway of its own. */
class RingTest {
    @Test
    void row27_noGatewayGetsMoreThanAQuarterAboveItsShareAndFewMoveWhenOneComesOrGoes() {
        Ring ring = new Ring();
        assertThat(ring.place("early")).isNull();
        ring.change(List.of("a", "b", "c"));
        Map<String, String> placed = new HashMap<>();
        for (int k = 0; k < 64; k++) {
            placed.put("unit" + k, ring.place("unit" + k));
        }
        assertThat(loads(placed).values()).allSatisfy(load -> assertThat(load).isLessThanOrEqualTo(27));
        List<String> moved = ring.change(List.of("a", "c"));
        assertThat(moved)
                .containsAll(placed.keySet().stream()
                        .filter(unit -> "b".equals(placed.get(unit)))
                        .toList());
        placed.replaceAll((unit, before) -> {
            String now = ring.place(unit);
            assertThat(now).isIn("a", "c");
            assertThat(moved.contains(unit) || now.equals(before)).isTrue();
            return now;
        });
        ring.change(List.of("a", "c", "d"));
        placed.replaceAll((unit, before) -> ring.place(unit));
        assertThat(loads(placed).get("d")).isPositive();
        assertThat(loads(placed).values()).allSatisfy(load -> assertThat(load).isLessThanOrEqualTo(27));
    }

    private static Map<String, Integer> loads(Map<String, String> placed) {
        Map<String, Integer> loads = new HashMap<>();
        placed.values().forEach(gateway -> loads.merge(gateway, 1, Integer::sum));
        return loads;
    }

    @Test
    void row28_aBroadcastGoesToAllThatLiveOrToAlwaysTheSameFew() {
        Router all = new Router(RoutingMode.BROADCAST, 0);
        Router some = new Router(RoutingMode.BROADCAST, 2);
        Set<String> known = Set.of("a", "b", "c");
        all.changed(known);
        some.changed(known);
        assertThat(all.hearers().audience("s")).containsExactly("a", "b", "c");
        assertThat(some.hearers().audience("s"))
                .hasSize(2)
                .isEqualTo(some.hearers().audience("s"));
        Set<String> chosen = new HashSet<>();
        for (int k = 0; k < 50; k++) {
            chosen.addAll(some.hearers().audience("s" + k));
        }
        assertThat(chosen).as("not always the same gateways").hasSize(3);
    }

    @Test
    void whileNoGatewayIsKnownABroadcastHasAPlaceOfItsOwn() {
        Router all = new Router(RoutingMode.BROADCAST, 0);
        all.changed(Set.of());
        assertThat(all.hearers().audience("s")).containsExactly("");
        assertThat(all.gatewayOf(GroupKey.broadcast(""))).isNull();
    }

    @Test
    void inDirectModeAnUnknownGatewayIsWaitedFor() {
        Router direct = new Router(RoutingMode.DIRECT, 0);
        direct.changed(Set.of("a"));
        assertThat(direct.gatewayOf(new GroupKey(new Home.Gateway("a"), "", Priority.LOW)))
                .isEqualTo("a");
        assertThat(direct.gatewayOf(new GroupKey(new Home.Gateway("b"), "", Priority.LOW)))
                .isNull();
    }
}
