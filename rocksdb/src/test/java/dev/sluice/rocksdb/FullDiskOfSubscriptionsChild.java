package dev.sluice.rocksdb;

import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionRecord;
import dev.sluice.subscribe.SubscriptionStoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Saves until its small disk is full, makes room, goes on, and counts. Run in a mount namespace of its own. */
final class FullDiskOfSubscriptionsChild {
    private FullDiskOfSubscriptionsChild() {}

    public static void main(String[] args) throws Exception {
        Path disk = Path.of(args[0]);
        int acknowledged = 0;
        try (RocksSubscriptions store = new RocksSubscriptions(disk.resolve("kept"))) {
            for (int times = 0; times < 2; times++) {
                Path ballast = disk.resolve("ballast");
                Files.write(ballast, new byte[(int) Files.getFileStore(disk).getUsableSpace() - (6 << 20)]);
                acknowledged = saveUntilFull(store, acknowledged);
                System.out.println("full after " + acknowledged + ", " + count(store) + " readable");
                Files.delete(ballast);
                store.save(batch(acknowledged));
                acknowledged += 10;
                System.out.println("went on by itself");
            }
        }
        try (RocksSubscriptions store = new RocksSubscriptions(disk.resolve("kept"))) {
            System.out.println("acknowledged " + acknowledged + " found " + count(store));
        }
    }

    /** Tried a few times when it fails: each time it says why, and what is there stays readable. */
    private static int saveUntilFull(RocksSubscriptions store, int from) {
        int acknowledged = from;
        for (int failures = 0; failures < 3; ) {
            try {
                store.save(batch(acknowledged));
                acknowledged += 10;
            } catch (SubscriptionStoreException e) {
                failures++;
                if (!String.valueOf(e.getMessage()).contains("free")) {
                    throw e;
                }
            }
        }
        return acknowledged;
    }

    private static List<SubscriptionRecord> batch(int from) {
        List<SubscriptionRecord> batch = new ArrayList<>();
        for (int k = from; k < from + 10; k++) {
            batch.add(Records.of(Subscription.of(String.format("s%06d", k), "g", "t", "c", noise(k)), k + 1));
        }
        return batch;
    }

    /** Such that compression does not help. */
    private static String noise(int seed) {
        StringBuilder text = new StringBuilder("{\"a\":\"");
        new Random(seed).ints(30_000, 'a', 'z').forEach(c -> text.append((char) c));
        return text.append("\"}").toString();
    }

    private static int count(RocksSubscriptions store) {
        int[] found = new int[1];
        store.load(each -> found[0]++);
        return found[0];
    }
}
