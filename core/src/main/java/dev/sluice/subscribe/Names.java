package dev.sluice.subscribe;

import java.util.HashMap;
import java.util.Map;

/** Names that many subscriptions have: each text is kept once, with how many have it. */
final class Names {
    private final Map<String, Uses> uses = new HashMap<>();

    private static final class Uses {
        private final String name;
        private int count;

        private Uses(String name) {
            this.name = name;
        }
    }

    /** The same text, as an object shared with whoever has it already. */
    String shared(String name) {
        Uses known = uses.get(name);
        return known == null ? name : known.name;
    }

    void add(String name) {
        uses.computeIfAbsent(name, Uses::new).count++;
    }

    void remove(String name) {
        uses.computeIfPresent(name, (same, use) -> --use.count == 0 ? null : use);
    }

    int count(String name) {
        Uses known = uses.get(name);
        return known == null ? 0 : known.count;
    }
}
