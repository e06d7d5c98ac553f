package dev.sluice.devmongo.store;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.oplog.Oplog;
import dev.sluice.devmongo.oplog.TransactionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/** All databases. Every read and write runs inside {@link #locked}; each applied change enters the oplog before it ends. */
public final class Store {
    private final Oplog oplog;
    private final Supplier<UUID> uuids;
    private final Map<String, TreeMap<String, StoredCollection>> databases = new TreeMap<>();
    private final Map<UUID, StoredCollection> byUuid = new HashMap<>();
    private final Sessions sessions = new Sessions();
    private final ReentrantLock lock = new ReentrantLock();
    private final OpenTransactions transactions;

    /** @param transactionLifetime after which a transaction that nobody ended is aborted */
    public Store(Oplog oplog, Supplier<UUID> uuids, Duration transactionLifetime) {
        this.oplog = oplog;
        this.uuids = uuids;
        this.transactions = new OpenTransactions(lock.newCondition(), transactionLifetime, System::nanoTime);
    }

    /** Runs {@code work} alone. It may be called again from within. */
    public <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    public Sessions sessions() {
        return sessions;
    }

    public List<String> databaseNames() {
        return databases.entrySet().stream()
                .filter(database -> !database.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    public List<StoredCollection> collections(String database) {
        return List.copyOf(databases.getOrDefault(database, new TreeMap<>()).values());
    }

    public @Nullable StoredCollection find(Namespace namespace) {
        return databases.getOrDefault(namespace.database(), new TreeMap<>()).get(namespace.collection());
    }

    public @Nullable StoredCollection find(@Nullable UUID uuid) {
        return uuid == null ? null : byUuid.get(uuid);
    }

    /** Creates a collection; the oplog notes it, though change streams of this version show nothing. */
    public StoredCollection create(Namespace namespace, BsonDocument options) {
        if (find(namespace) != null) {
            throw new CommandException(48, "NamespaceExists", "a collection '" + namespace + "' already exists");
        }
        StoredCollection collection = new StoredCollection(namespace, uuids.get(), options);
        put(collection);
        changed(collection);
        return collection;
    }

    /** Notes in the oplog that options or indexes changed; change streams of this version show nothing. */
    public void changed(StoredCollection collection) {
        oplog.append(List.of(), null, List.of(collection.shape()));
    }

    private void put(StoredCollection collection) {
        databases
                .computeIfAbsent(collection.namespace().database(), name -> new TreeMap<>())
                .put(collection.namespace().collection(), collection);
        byUuid.put(collection.uuid(), collection);
    }

    /** The view a write uses: creates the collection if it is not there. */
    public CollectionView writeView(Namespace namespace, @Nullable Transaction transaction) {
        StoredCollection collection = find(namespace);
        StoredCollection target = collection == null ? create(namespace, new BsonDocument()) : collection;
        return transaction == null ? new LiveView(this, target) : transaction.view(target);
    }

    /** The view a read uses, or null if there is no such collection. */
    public @Nullable CollectionView readView(Namespace namespace, @Nullable Transaction transaction) {
        return find(namespace) == null ? null : writeView(namespace, transaction);
    }

    public StoredCollection drop(Namespace namespace) {
        StoredCollection collection = existing(namespace);
        remove(collection);
        append(
                Mutation.drop(namespace.database(), namespace.collection(), collection.uuid()),
                List.of(new Effect.Drop(collection.uuid())));
        return collection;
    }

    private void remove(StoredCollection collection) {
        databases
                .getOrDefault(collection.namespace().database(), new TreeMap<>())
                .remove(collection.namespace().collection());
        byUuid.remove(collection.uuid());
    }

    public void rename(Namespace from, Namespace to, boolean dropTarget) {
        StoredCollection collection = existing(from);
        StoredCollection target = find(to);
        if (target != null && !dropTarget) {
            throw new CommandException(48, "NamespaceExists", "target namespace exists");
        }
        List<Effect> effects = new ArrayList<>();
        if (target != null) {
            remove(target);
            effects.add(new Effect.Drop(target.uuid()));
        }
        remove(collection);
        collection.renamed(to);
        put(collection);
        effects.add(collection.shape());
        append(Mutation.rename(from.database(), from.collection(), collection.uuid(), to.collection()), effects);
    }

    /** Drops the collections in the order of their uuids, as MongoDB does, then the database. */
    public boolean dropDatabase(String database) {
        List<StoredCollection> collections = new ArrayList<>(collections(database));
        if (collections.isEmpty()) {
            return false;
        }
        collections.sort(Comparator.comparing(collection -> collection.uuid().toString()));
        collections.forEach(collection -> drop(collection.namespace()));
        databases.remove(database);
        append(Mutation.dropDatabase(database), List.of());
        return true;
    }

    private StoredCollection existing(Namespace namespace) {
        StoredCollection collection = find(namespace);
        if (collection == null) {
            throw new CommandException(26, "NamespaceNotFound", "ns not found");
        }
        return collection;
    }

    public Transaction begin(TransactionId id) {
        return transactions.begin(id);
    }

    /** Commits; all writes get one cluster time. */
    public void commit(Transaction transaction) {
        List<Mutation> mutations = transaction.commit();
        if (!mutations.isEmpty()) {
            oplog.append(mutations, transaction.id(), transaction.effects());
        }
        transactions.ended(transaction);
    }

    public void abort(Transaction transaction) {
        transactions.abort(transaction);
    }

    /** Aborts what has outlived its limit. */
    public void abortExpiredTransactions() {
        transactions.abortExpired();
    }

    /** Aborts every open transaction; a write that waits for one fails with {@code reason}. */
    public void abortTransactions(CommandException reason) {
        lock.lock();
        try {
            transactions.abortAll(reason);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until exactly {@code n} writes wait for a transaction; false if that takes longer than {@code limit}. */
    public boolean awaitWaitingWrites(int n, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            return transactions.awaitWaiting(n, limit);
        } finally {
            lock.unlock();
        }
    }

    void record(StoredCollection collection, Mutation mutation) {
        append(collection.recordsImages() ? mutation : mutation.withoutImages(), List.of(effect(collection, mutation)));
    }

    static Effect effect(StoredCollection collection, Mutation mutation) {
        BsonDocument after = Documents.after(mutation);
        return after == null
                ? new Effect.Remove(collection.uuid(), mutation.id())
                : new Effect.Put(collection.uuid(), after);
    }

    private BsonTimestamp append(Mutation mutation, List<Effect> effects) {
        return oplog.append(List.of(mutation), null, effects);
    }

    /** Everything in it, as the effects that make an empty store the same. */
    public List<Effect> contents() {
        List<Effect> contents = new ArrayList<>();
        for (StoredCollection collection : byUuid.values()) {
            contents.add(collection.shape());
            collection.documents().all().forEach(document -> contents.add(new Effect.Put(collection.uuid(), document)));
        }
        return contents;
    }

    /** Applies what a write of an earlier process left behind, without a trace in the oplog. */
    public void restore(List<Effect> effects) {
        effects.forEach(this::restore);
    }

    /** A transaction may have been committed behind the drop of a collection that it wrote to: then there is nothing to change. */
    private void restore(Effect effect) {
        Optional<StoredCollection> collection = Optional.ofNullable(find(effect.collection()));
        switch (effect) {
            case Effect.Shape shape -> restore(shape, collection.orElse(null));
            case Effect.Put put -> collection.ifPresent(there -> there.restore(put.document()));
            case Effect.Remove remove -> collection.ifPresent(there -> there.forget(remove.id()));
            case Effect.Drop drop -> collection.ifPresent(this::remove);
        }
    }

    private void restore(Effect.Shape shape, @Nullable StoredCollection existing) {
        Namespace namespace = new Namespace(shape.database(), shape.name());
        StoredCollection collection = existing;
        if (collection == null) {
            collection = new StoredCollection(namespace, shape.collection(), new BsonDocument());
        } else {
            remove(collection);
        }
        collection.restore(namespace, shape.options(), shape.indexes());
        put(collection);
    }

    void awaitTransactions(BooleanSupplier free) {
        transactions.await(free);
    }
}
