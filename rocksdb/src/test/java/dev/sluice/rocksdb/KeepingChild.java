package dev.sluice.rocksdb;

import dev.sluice.deliver.EventType;
import dev.sluice.lane.DeadLetter;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionRecord;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that saves and removes numbered subscriptions and stores numbered dead letters for ever, from where it ended,
 * and prints what is acknowledged. Of every three subscriptions the second is removed again; every dead letter is stored
 * twice.
 */
final class KeepingChild {
    private static final int BATCH = 30;

    private KeepingChild() {}

    public static void main(String[] args) {
        Path path = Path.of(args[0]);
        RocksSubscriptions subscriptions = new RocksSubscriptions(path.resolve("subscriptions"));
        RocksDeadLetters letters = new RocksDeadLetters(path.resolve("letters"));
        for (int next = Integer.parseInt(args[1]); ; next += BATCH) {
            List<SubscriptionRecord> batch = new ArrayList<>();
            List<String> removed = new ArrayList<>();
            List<DeadLetter> dead = new ArrayList<>();
            for (int k = next; k < next + BATCH; k++) {
                batch.add(Records.of(Subscription.of(id(k), "g", "t", "c", "{\"a\":" + k + "}"), 2L * k + 1));
                if (k % 3 == 1) {
                    removed.add(id(k));
                }
                dead.add(letter(k));
            }
            subscriptions.save(batch);
            subscriptions.remove(removed, 2L * (next + BATCH));
            letters.store(dead);
            letters.store(dead);
            System.out.println("kept " + (next + BATCH));
        }
    }

    static String id(int number) {
        return String.format("s%09d", number);
    }

    private static DeadLetter letter(int number) {
        return new DeadLetter(
                id(number),
                "g",
                "s",
                "1-1-0000000000000001",
                EventType.INSERT,
                0,
                new byte[number % 500],
                "no",
                Instant.EPOCH.plusSeconds(number),
                1,
                List.of(),
                null);
    }
}
