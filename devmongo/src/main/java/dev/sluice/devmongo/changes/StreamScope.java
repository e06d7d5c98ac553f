package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.store.Namespace;
import java.util.Set;

/** What a stream watches, and which of those changes ends it. */
public sealed interface StreamScope {
    boolean includes(Mutation change);

    /** Whether the stream ends with an invalidate right after this change. */
    boolean endedBy(Mutation change);

    /** One collection, by name. Ends when it is dropped or renamed, or when another takes its name. */
    record OneCollection(Namespace namespace) implements StreamScope {
        @Override
        public boolean includes(Mutation change) {
            return change.database().equals(namespace.database())
                    && (namespace.collection().equals(change.collection())
                            || namespace.collection().equals(change.to())
                            || change.kind() == Mutation.Kind.DROP_DATABASE);
        }

        @Override
        public boolean endedBy(Mutation change) {
            return switch (change.kind()) {
                case DROP, RENAME, DROP_DATABASE -> true;
                case INSERT, UPDATE, REPLACE, DELETE -> false;
            };
        }
    }

    /** All collections of a database. Ends when the database is dropped. */
    record OneDatabase(String name) implements StreamScope {
        @Override
        public boolean includes(Mutation change) {
            return change.database().equals(name) && !isSystem(change);
        }

        @Override
        public boolean endedBy(Mutation change) {
            return change.kind() == Mutation.Kind.DROP_DATABASE;
        }
    }

    /** Everything but MongoDB's own databases. Never ends. */
    record WholeCluster() implements StreamScope {
        private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

        @Override
        public boolean includes(Mutation change) {
            return !INTERNAL.contains(change.database()) && !isSystem(change);
        }

        @Override
        public boolean endedBy(Mutation change) {
            return false;
        }
    }

    private static boolean isSystem(Mutation change) {
        return change.collection() != null && change.collection().startsWith("system.");
    }
}
