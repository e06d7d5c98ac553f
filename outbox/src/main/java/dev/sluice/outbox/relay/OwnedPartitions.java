package dev.sluice.outbox.relay;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.outbox.table.Backlog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The partitions the group gave this relay, each with its runner. */
final class OwnedPartitions implements PartitionUser {
    private final Function<Claim, PartitionRelay> relays;
    private final Duration patience;
    private final String name;
    private final Map<Claim, PartitionRunner> runners = new ConcurrentHashMap<>();

    /** @param patience for what is under way when a partition is given up; shorter than the group's */
    OwnedPartitions(String name, Duration patience, Function<Claim, PartitionRelay> relays) {
        this.name = name;
        this.patience = patience;
        this.relays = relays;
    }

    @Override
    public void assigned(Claim claim) {
        PartitionRelay relay = relays.apply(claim);
        runners.put(claim, PartitionRunner.start("outbox-" + name + '-' + claim.partition(), relay));
    }

    @Override
    public void revoking(Claim claim) {
        PartitionRunner runner = runners.remove(claim);
        if (runner != null && !runner.stop(patience)) {
            runner.abandon();
        }
    }

    @Override
    public void lost(Claim claim) {
        PartitionRunner runner = runners.remove(claim);
        if (runner != null) {
            runner.abandon();
        }
    }

    /** Whatever is left when the group has been left. */
    void abandonAll() {
        runners.values().forEach(PartitionRunner::abandon);
    }

    void wake() {
        runners.values().forEach(PartitionRunner::wake);
    }

    /** All pending rows were counted. */
    void counted(Backlog backlog) {
        runners.values().forEach(runner -> runner.counted(backlog));
    }

    Optional<Claim> claim(int partition) {
        return runners.keySet().stream()
                .filter(claim -> claim.partition() == partition)
                .findAny();
    }

    List<PartitionJournal> journals() {
        return runners.values().stream().map(PartitionRunner::journal).toList();
    }
}
