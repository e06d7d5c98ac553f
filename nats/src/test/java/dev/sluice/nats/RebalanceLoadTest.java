package dev.sluice.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a large group asks of one NATS server while most of its partitions move. */
@Tag("soak")
class RebalanceLoadTest {
    private static final int PARTITIONS = 2_000;
    private static final int FEW = 25;
    private static final int MANY = 100;
    private static final long MOST_REQUESTS_PER_SECOND = 2_000;
    private static final Duration DRAIN = Duration.ofSeconds(5);
    private static final Duration SAMPLE = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final NatsServer server = NatsServer.startPrivate(NatsLine.NEWEST);
    private final List<Connection> connections = new ArrayList<>();
    private final List<CoordinationStore> stores = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        List<Thread> leaving = groups.stream()
                .map(group -> Thread.ofVirtual().start(group::close))
                .toList();
        for (Thread thread : leaving) {
            thread.join();
        }
        stores.forEach(CoordinationStore::close);
        for (Connection connection : connections) {
            connection.close();
        }
        server.close();
    }

    @Test
    void aGroupThatGrowsFourfoldStaysBelowTwoThousandRequestsPerSecond() throws Exception {
        join(FEW);
        Figures start = watchUntilSettled(FEW);
        print("%d members, %d partitions, first share: %s", FEW, PARTITIONS, start);
        Figures quiet = watchFor(Duration.ofSeconds(10));
        print("%d members at rest: %s", FEW, quiet);
        join(MANY - FEW);
        Figures move = watchUntilSettled(MANY);
        print("%d to %d members, drain %d s: %s", FEW, MANY, DRAIN.toSeconds(), move);
        print("%d members at rest: %s", MANY, watchFor(Duration.ofSeconds(10)));
        long deaths =
                groups.stream().mapToLong(group -> group.counters().deaths()).sum();
        print("lives that ended: %d", deaths);
        assertThat(move.mostPerSecond()).isLessThanOrEqualTo(MOST_REQUESTS_PER_SECOND);
        assertThat(deaths)
                .as("lives that ended: leases were not renewed in time")
                .isZero();
    }

    private void join(int members) throws Exception {
        for (int n = 0; n < members; n++) {
            Connection connection = Nats.connect(Options.builder()
                    .server(server.url())
                    .maxReconnects(-1)
                    .reportNoResponders()
                    .build());
            connections.add(connection);
            CoordinationStore store = NatsCoordinationStore.over(connection, "load", 1, Duration.ofMillis(1250));
            stores.add(store);
            String id = "m" + groups.size();
            groups.add(Group.start(
                    store,
                    GroupSettings.of("load/group", MemberIds.fixed(id), PARTITIONS)
                            .withHandoffTimeout(DRAIN.multipliedBy(4)),
                    new Draining()));
        }
    }

    private Figures watchUntilSettled(int members) {
        Meter meter = new Meter();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!isSettled(members)) {
            assertThat(System.nanoTime()).as("settled in time").isLessThan(deadline);
            meter.sample();
        }
        return meter.figures();
    }

    private boolean isSettled(int members) {
        return groups.stream().allMatch(group -> group.claims().size() == PARTITIONS / members);
    }

    private Figures watchFor(Duration time) {
        Meter meter = new Meter();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            meter.sample();
        }
        return meter.figures();
    }

    private record Figures(Duration took, long requests, long mostPerSecond, long deliveries) {
        @Override
        public String toString() {
            return String.format(
                    "%,d ms, %,d requests (most in a second: %,d), %,d messages to members",
                    took.toMillis(), requests, mostPerSecond, deliveries);
        }
    }

    /** Counts what all connections have sent, by windows of a second that move on by a sample each. */
    private final class Meter {
        private final long begun = System.nanoTime();
        private final long sentBefore = sent();
        private final long receivedBefore = received();
        private final Deque<Sample> window = new ArrayDeque<>(List.of(new Sample(begun, sentBefore)));
        private long most;

        private record Sample(long at, long sent) {}

        void sample() {
            LockSupport.parkNanos(SAMPLE.toNanos());
            Sample now = new Sample(System.nanoTime(), sent());
            window.addLast(now);
            while (now.at() - window.getFirst().at() > Duration.ofSeconds(1).toNanos()) {
                window.removeFirst();
            }
            most = Math.max(most, now.sent() - window.getFirst().sent());
        }

        Figures figures() {
            return new Figures(
                    Duration.ofNanos(System.nanoTime() - begun),
                    sent() - sentBefore,
                    most,
                    received() - receivedBefore);
        }
    }

    private long sent() {
        return connections.stream()
                .mapToLong(c -> c.getStatistics().getOutMsgs())
                .sum();
    }

    private long received() {
        return connections.stream()
                .mapToLong(c -> c.getStatistics().getInMsgs())
                .sum();
    }

    /** Takes its time to give a partition up. */
    private static final class Draining implements PartitionUser {
        @Override
        public void assigned(Claim claim) {}

        @Override
        public void revoking(Claim claim) {
            LockSupport.parkNanos(DRAIN.toNanos());
        }

        @Override
        public void lost(Claim claim) {}
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}
