package dev.sluice.kafka;

import java.util.LinkedHashMap;
import java.util.Map;

/** Forgets, of more than so many entries, the one not used for the longest. */
final class Recent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int most;

    Recent(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
