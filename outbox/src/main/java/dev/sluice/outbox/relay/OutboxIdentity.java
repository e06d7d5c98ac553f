package dev.sluice.outbox.relay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which outbox it is. Names repeat: two services may both call theirs {@code outbox}, and a database may be made anew under
 * the old name; row ids then begin at 1 again. So every database draws a random id once, and keeps it.
 */
final class OutboxIdentity {
    private static final String KEY = "outbox-identity";

    private final String name;
    private final CoordinationStore store;
    private volatile @Nullable String id;

    OutboxIdentity(String name, CoordinationStore store) {
        this.name = name;
        this.store = store;
    }

    String name() {
        return name;
    }

    /** Read, or drawn, when first asked for; whoever is first draws it for all. */
    String id() {
        String known = id;
        if (known == null) {
            known = stored().orElseGet(this::drawn);
            id = known;
        }
        return known;
    }

    private Optional<String> stored() {
        return store.get(KEY).map(Entry::value).map(bytes -> new String(bytes, UTF_8));
    }

    private String drawn() {
        String drawn = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        store.put(KEY, drawn.getBytes(UTF_8), CoordinationStore.ABSENT);
        return stored().orElseThrow(() -> new IllegalStateException(KEY + " was deleted while it was being written"));
    }
}
