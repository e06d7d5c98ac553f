package dev.sluice.coordinate;

import dev.sluice.coordinate.FencedCounters.Outcome;
import dev.sluice.testkit.simulation.FiberSignal;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.Weather;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts on, event by event, in every partition it is given; now and then it does not stop when asked. */
class CountingUser implements PartitionUser {
    private final class Work {
        private final Claim claim;
        private final FiberSignal wake = node.signal("work");
        private final FiberSignal ended = node.signal("work ended");
        private boolean stop;
        private boolean over;

        Work(Claim claim) {
            this.claim = claim;
        }

        void run() {
            long start = ClaimHistory.number(claim.position());
            long event = start + 1;
            boolean good = true;
            while (good && !stop && claim.isHeld()) {
                good = write(event, start);
                if (good) {
                    claim.report(Long.toString(event));
                    event++;
                }
                wake.await(simulation.between(Duration.ofMillis(100), Duration.ofMillis(900)));
            }
            over = true;
            ended.raise();
        }

        private boolean write(long event, long start) {
            while (!stop && claim.isHeld()) {
                try {
                    Outcome outcome = weather.ask(
                            node,
                            counterNode,
                            "count " + claim + " to " + event,
                            () -> counters.write(claim.partition(), claim.token(), writer, event, start));
                    return outcome == Outcome.ACCEPTED && (event % 5 != 0 || save(event));
                } catch (StoreUnavailableException e) {
                    wake.await(Duration.ofMillis(100));
                }
            }
            return false;
        }

        /** Now and then at once, else by the group's policy. */
        private boolean save(long event) {
            try {
                return claim.save(Long.toString(event));
            } catch (StoreUnavailableException e) {
                return true;
            }
        }

        void stop() {
            stop = true;
            wake.raise();
        }
    }

    private final Simulation simulation;
    private final Node node;
    private final Node counterNode;
    private final FencedCounters counters;
    private final Weather weather;
    private final String writer;
    private final Map<Integer, Work> works = new HashMap<>();

    CountingUser(
            Simulation simulation,
            Node node,
            Node counterNode,
            FencedCounters counters,
            Weather weather,
            String writer) {
        this.simulation = simulation;
        this.node = node;
        this.counterNode = counterNode;
        this.counters = counters;
        this.weather = weather;
        this.writer = writer;
    }

    @Override
    public void assigned(Claim claim) {
        Work work = new Work(claim);
        works.put(claim.partition(), work);
        node.fiber("work-" + claim.partition(), work::run);
    }

    @Override
    public void revoking(Claim claim) {
        if (simulation.chance(0.05)) {
            // deaf: the handoff is forced
            node.sleep(Duration.ofSeconds(8), "deaf");
            return;
        }
        Work work = end(claim);
        while (work != null && !work.over) {
            work.ended.await(Duration.ofSeconds(1));
        }
    }

    @Override
    public void lost(Claim claim) {
        end(claim);
    }

    private @Nullable Work end(Claim claim) {
        Work work = works.get(claim.partition());
        if (work == null || work.claim != claim) {
            return null;
        }
        work.stop();
        works.remove(claim.partition());
        return work;
    }
}
