package dev.sluice.match;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Walks a document along the paths of an access tree and hands on every filter that the document's values lead to: each
 * that matches at least once, others too, some several times. Keeps its scratch space between documents; one thread at
 * a time.
 */
final class CandidateWalk implements Interval.Visitor {
    private final Consumer<SharedFilter> candidates;
    private byte[] bytes = {};
    private int whole;

    /** Of several values on one path, the least and the most of each kind: ranges are met between them. */
    private Hull[] hulls = {};

    private int hullsUsed;
    private int hullsFrom;

    private static final class Hull {
        private PathNode node;
        private int kind;
        private int leastType;
        private int least;
        private int mostType;
        private int most;

        private Hull(PathNode node) {
            this.node = node;
        }
    }

    CandidateWalk(Consumer<SharedFilter> candidates) {
        this.candidates = candidates;
    }

    void walk(AccessTree tree, byte[] document, int at) {
        bytes = document;
        whole = at;
        hullsUsed = 0;
        hullsFrom = 0;
        walk(tree);
    }

    private void walk(AccessTree tree) {
        int outer = hullsFrom;
        hullsFrom = hullsUsed;
        visit(tree.rest());
        if (tree.paths().hasChildren()) {
            inDocument(tree.paths(), whole, false);
        }
        visitHulls();
        hullsUsed = hullsFrom;
        hullsFrom = outer;
    }

    private void inDocument(PathNode node, int at, boolean inArray) {
        int element = at + RawValues.HEADER;
        while (bytes[element] != 0) {
            int type = RawValues.type(bytes, element);
            int end = element + 1;
            long hash = 0;
            for (byte octet = bytes[end]; octet != 0; octet = bytes[++end]) {
                hash = ValueHash.addByte(hash, octet);
            }
            PathNode child = node.child(bytes, element + 1, ValueHash.key(hash));
            if (child != null) {
                inField(child, type, end + 1, inArray);
            }
            element = RawValues.next(bytes, type, end + 1);
        }
    }

    private void inField(PathNode node, int type, int at, boolean inArray) {
        if (type == RawValues.ARRAY) {
            inArray(node, at);
        }
        value(node, type, at, inArray || type == RawValues.ARRAY);
        if (type == RawValues.DOCUMENT && node.hasChildren()) {
            inDocument(node, at, inArray);
        }
    }

    /** Elements are values of this path; documents among them are entered, and what an index names too. */
    private void inArray(PathNode node, int array) {
        boolean deeper = node.hasChildren();
        int element = array + RawValues.HEADER;
        for (int k = 0; bytes[element] != 0; k++) {
            int type = RawValues.type(bytes, element);
            int at = RawValues.value(bytes, element);
            value(node, type, at, true);
            if (deeper) {
                inElement(node, k, type, at);
            }
            element = RawValues.next(bytes, type, at);
        }
    }

    private void inElement(PathNode node, int index, int type, int at) {
        if (type == RawValues.DOCUMENT) {
            inDocument(node, at, true);
        }
        PathNode indexed = node.child(index);
        if (indexed != null) {
            value(indexed, type, at, true);
            if (type == RawValues.DOCUMENT && indexed.hasChildren()) {
                inDocument(indexed, at, true);
            } else if (type == RawValues.ARRAY && indexed.hasChildren()) {
                inNestedArray(indexed, at);
            }
        }
    }

    /** An array that an index named: it is entered for longer paths, but its elements are no values of this one. */
    private void inNestedArray(PathNode node, int array) {
        int element = array + RawValues.HEADER;
        for (int k = 0; bytes[element] != 0; k++) {
            int type = RawValues.type(bytes, element);
            int at = RawValues.value(bytes, element);
            inElement(node, k, type, at);
            element = RawValues.next(bytes, type, at);
        }
    }

    private void value(PathNode node, int type, int at, boolean oneOfSeveral) {
        ProbeTable<Object> equalTo = node.equalTo();
        if (equalTo != null) {
            visit(equalTo.get(ValueHash.key(ValueHash.of(bytes, type, at))));
        }
        if (RawValues.isText(type)) {
            prefixes(node.prefixes(), at);
        }
        int kind = ValueOrder.kind(type);
        Interval intervals = node.intervals(kind);
        if (intervals != null && !RawNumbers.isNaN(bytes, type, at)) {
            if (oneOfSeveral) {
                extendHull(node, kind, type, at);
            } else {
                Interval.visit(intervals, bytes, type, at, type, at, this);
            }
        }
    }

    private void prefixes(PathNode.Prefixes[] prefixes, int at) {
        int length = RawValues.textLength(bytes, at);
        long hash = ValueOrder.TEXT;
        int hashed = 0;
        for (PathNode.Prefixes each : prefixes) {
            if (each.length() > length) {
                return;
            }
            hash = ValueHash.add(hash, bytes, at + 4 + hashed, each.length() - hashed);
            hashed = each.length();
            visit(each.postings().get(ValueHash.key(hash)));
        }
    }

    private void extendHull(PathNode node, int kind, int type, int at) {
        for (int k = hullsFrom; k < hullsUsed; k++) {
            Hull hull = hulls[k];
            if (hull.node == node && hull.kind == kind) {
                if (ValueOrder.compare(bytes, type, at, bytes, hull.leastType, hull.least) < 0) {
                    hull.leastType = type;
                    hull.least = at;
                }
                if (ValueOrder.compare(bytes, type, at, bytes, hull.mostType, hull.most) > 0) {
                    hull.mostType = type;
                    hull.most = at;
                }
                return;
            }
        }
        newHull(node, kind, type, at);
    }

    private void newHull(PathNode node, int kind, int type, int at) {
        if (hullsUsed == hulls.length) {
            hulls = Arrays.copyOf(hulls, 2 * hullsUsed + 4);
        }
        Hull hull = hulls[hullsUsed];
        if (hull == null) {
            hull = new Hull(node);
            hulls[hullsUsed] = hull;
        }
        hullsUsed++;
        hull.node = node;
        hull.kind = kind;
        hull.leastType = type;
        hull.least = at;
        hull.mostType = type;
        hull.most = at;
    }

    private void visitHulls() {
        int from = hullsFrom;
        for (int k = from; k < hullsUsed; k++) {
            Hull hull = hulls[k];
            Interval.visit(
                    hull.node.intervals(hull.kind), bytes, hull.leastType, hull.least, hull.mostType, hull.most, this);
        }
    }

    @Override
    public void overlapping(Object filters) {
        visit(filters);
    }

    private void visit(@Nullable Object posting) {
        if (posting instanceof SharedFilter filter) {
            candidates.accept(filter);
        } else if (posting instanceof Object[] few) {
            for (Object filter : few) {
                candidates.accept((SharedFilter) filter);
            }
        } else if (posting instanceof ProbeTable<?> many) {
            ProbeTable.Slots slots = many.slots();
            for (int slot = 0; slot < slots.capacity(); slot++) {
                if (slots.at(slot) instanceof SharedFilter filter) {
                    candidates.accept(filter);
                }
            }
        } else if (posting instanceof AccessTree tree) {
            walk(tree);
        }
    }
}
