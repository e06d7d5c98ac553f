package dev.sluice.worker.partition;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Subjects by their tokens; finds the subtrees in which every subject is owned. */
final class SubjectTree {
    private final Map<String, SubjectTree> children = new TreeMap<>();
    private String subject = "";
    private boolean owned;
    /** Whether a filter with a wildcard of its own stands here or below: no wider one is made of it. */
    private boolean opaque;

    void add(String filter, boolean isOwned) {
        boolean hasWildcard = FilterSet.hasWildcard(filter);
        SubjectTree node = this;
        node.opaque |= hasWildcard;
        for (String token : filter.split("\\.", -1)) {
            node = node.children.computeIfAbsent(token, missing -> new SubjectTree());
            node.opaque |= hasWildcard;
        }
        node.subject = filter;
        node.owned |= isOwned;
    }

    /** Adds filters for everything that is owned, the root's children one by one: {@code >} alone is never made. */
    void collect(List<String> filters) {
        children.forEach((token, child) -> child.collect(token, filters));
    }

    private void collect(String path, List<String> filters) {
        if (owned) {
            filters.add(subject);
        }
        if (!opaque && ownedBelow() > 1) {
            filters.add(path + ".>");
        } else {
            children.forEach((token, child) -> child.collect(path + '.' + token, filters));
        }
    }

    /** How many subjects there are below this one; -1 when one of them is not owned. */
    private int ownedBelow() {
        int count = 0;
        for (SubjectTree child : children.values()) {
            int below = child.ownedBelow();
            boolean foreign = !child.subject.isEmpty() && !child.owned;
            if (below < 0 || foreign) {
                return -1;
            }
            count += below + (child.owned ? 1 : 0);
        }
        return count;
    }
}
