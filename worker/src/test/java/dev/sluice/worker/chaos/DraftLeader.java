package dev.sluice.worker.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The leader of draft 002, idealised: it knows at once who lives, moves as few partitions as it must and never errs. */
final class DraftLeader {
    private final Map<Integer, String> owners = new TreeMap<>();
    private final Map<Integer, Long> epochs = new HashMap<>();
    private final int partitions;

    DraftLeader(int partitions) {
        this.partitions = partitions;
    }

    /** Gives every partition to one of these workers, an equal share to each. */
    synchronized void members(Set<String> workers) {
        if (workers.isEmpty()) {
            return;
        }
        Map<String, Integer> load = new TreeMap<>();
        workers.forEach(worker -> load.put(worker, 0));
        int most = (partitions + workers.size() - 1) / workers.size();
        List<Integer> homeless = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            String owner = owners.get(partition);
            if (owner != null && load.containsKey(owner) && load.get(owner) < most) {
                load.merge(owner, 1, Integer::sum);
            } else {
                homeless.add(partition);
            }
        }
        for (int partition : homeless) {
            String owner = load.entrySet().stream()
                    .min(Map.Entry.comparingByValue())
                    .orElseThrow()
                    .getKey();
            load.merge(owner, 1, Integer::sum);
            owners.put(partition, owner);
            epochs.merge(partition, 1L, Long::sum);
        }
    }

    /** {@code partition:epoch} of every partition that the process {@code worker:pid} is to have, blank between them. */
    synchronized String assigned(String process) {
        String worker = process.substring(0, process.indexOf(':'));
        TreeSet<String> assigned = new TreeSet<>();
        owners.forEach((partition, owner) -> {
            if (owner.equals(worker)) {
                assigned.add(partition + ":" + epochs.get(partition));
            }
        });
        return String.join(" ", assigned);
    }
}
