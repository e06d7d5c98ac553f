package dev.sluice.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import java.nio.file.Path;

/** Counts on in every key of a persisted store and says each count once it is written. */
final class WritesUntilKilled {
    static final int KEYS = 8;
    private static final int LENGTH = 20_000;

    private WritesUntilKilled() {}

    public static void main(String[] args) {
        try (CoordinationStore store = InMemoryCoordinationStore.persisted(Path.of(args[0]))) {
            System.out.println("opened");
            // Values of some length make a new file due every few dozen writes.
            String filling = "x".repeat(LENGTH);
            while (true) {
                for (int n = 0; n < KEYS; n++) {
                    Entry before = store.get("group/" + n).orElse(new Entry("", "0:".getBytes(UTF_8), 0));
                    int count = count(before) + 1;
                    store.put("group/" + n, (count + ":" + filling).getBytes(UTF_8), before.revision());
                    System.out.println("key " + n + " is " + count);
                }
            }
        }
    }

    static int count(Entry entry) {
        return Integer.parseInt(entry.text().split(":", 2)[0]);
    }
}
