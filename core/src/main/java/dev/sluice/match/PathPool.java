package dev.sluice.match;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets a million filters share a few paths. When strangers name more paths than anybody needs it forgets them all and
 * begins again: paths in use stay with their filters.
 */
final class PathPool {
    private static final int MOST = 10_000;

    private final Map<String, FieldPath> paths = new ConcurrentHashMap<>();

    FieldPath path(String dotted) {
        if (paths.size() >= MOST) {
            paths.clear();
        }
        return paths.computeIfAbsent(dotted, FieldPath::of);
    }
}
