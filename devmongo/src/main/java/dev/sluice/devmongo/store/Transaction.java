package dev.sluice.devmongo.store;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.oplog.TransactionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Writes that become visible together or not at all. Each written document is reserved at once: a second writer conflicts
 * (112) instead of waiting, and an ordinary write waits for the end. Guarded by the store's lock.
 */
public final class Transaction {
    /** Where a transaction stands; it leaves ACTIVE once. */
    public enum State {
        ACTIVE,
        COMMITTED,
        ABORTED
    }

    private record Write(StoredCollection collection, Mutation mutation) {}

    private final TransactionId id;
    private final Map<UUID, TransactionView> views = new HashMap<>();
    private final List<Write> writes = new ArrayList<>();
    private State state = State.ACTIVE;

    Transaction(TransactionId id) {
        this.id = id;
    }

    public TransactionId id() {
        return id;
    }

    public State state() {
        return state;
    }

    CollectionView view(StoredCollection collection) {
        return views.computeIfAbsent(collection.uuid(), uuid -> new TransactionView(this, collection));
    }

    void record(StoredCollection collection, Mutation mutation) {
        writes.add(new Write(collection, mutation));
    }

    /** Applies the writes in order and returns what to append to the oplog. */
    List<Mutation> commit() {
        List<Mutation> mutations = new ArrayList<>();
        end(State.COMMITTED);
        for (Write write : writes) {
            write.collection().writableDocuments().apply(write.mutation());
            mutations.add(
                    write.collection().recordsImages()
                            ? write.mutation()
                            : write.mutation().withoutImages());
        }
        return mutations;
    }

    /** What the writes left behind, in order. */
    List<Effect> effects() {
        List<Effect> effects = new ArrayList<>();
        writes.forEach(write -> effects.add(Store.effect(write.collection(), write.mutation())));
        return effects;
    }

    void abort() {
        end(State.ABORTED);
    }

    private void end(State last) {
        state = last;
        views.values().forEach(TransactionView::close);
    }

    static CommandException writeConflict() {
        return new CommandException(
                112,
                "WriteConflict",
                "WriteConflict error: this operation conflicted with another operation. Please retry your operation or"
                        + " multi-document transaction.");
    }
}
