package dev.sluice.devmongo.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonBinary;
import org.jspecify.annotations.Nullable;

/** Every session a client named. Guarded by the store's lock. */
public final class Sessions {
    private final Map<BsonBinary, Session> byId = new HashMap<>();

    public Session get(BsonBinary id) {
        return byId.computeIfAbsent(id, Session::new);
    }

    public @Nullable Session remove(BsonBinary id) {
        return byId.remove(id);
    }

    public List<Session> all() {
        return new ArrayList<>(byId.values());
    }
}
