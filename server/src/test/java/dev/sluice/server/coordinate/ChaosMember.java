package dev.sluice.server.coordinate;

import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.SavePolicy;
import dev.sluice.coordinate.assign.StabiliserSettings;
import java.time.Duration;

/** A process of the chaos test: one member that counts. SIGTERM makes it hand over and leave. */
public final class ChaosMember {
    static final String GROUP = "sluice/chaos";
    static final int PARTITIONS = 64;

    /** Short enough for a run of half a minute; a dead member's partitions do not wait for it. */
    private static final StabiliserSettings WINDOWS =
            new StabiliserSettings(Duration.ofSeconds(1), Duration.ofMillis(500), Duration.ofMillis(200));

    private ChaosMember() {}

    public static void main(String[] args) throws Exception {
        StoreKind kind = StoreKind.valueOf(args[0]);
        String id = args[2];
        var counters = new CountersClient(
                Integer.parseInt(args[3]), id + ':' + ProcessHandle.current().pid());
        var settings = GroupSettings.of(GROUP, MemberIds.fixed(id), PARTITIONS)
                .withLease(Duration.parse(args[4]))
                .withHandoffTimeout(Duration.ofSeconds(5))
                .withSavePolicy(new SavePolicy(Duration.ofSeconds(1), 1_000))
                .withStabiliser(WINDOWS);
        // left open: closing it is not leaving, and the process ends anyway
        Group group = Group.start(kind.connect(args[1]), settings, new CountingUser(counters));
        Runtime.getRuntime().addShutdownHook(new Thread(group::close, "leave"));
        System.out.println("member started");
        Thread.currentThread().join();
    }
}
