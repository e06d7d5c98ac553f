package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.changes.ChangeStreamCursor;
import dev.sluice.devmongo.changes.DocumentLookup;
import dev.sluice.devmongo.changes.StreamBatch;
import dev.sluice.devmongo.changes.StreamOptions;
import dev.sluice.devmongo.changes.StreamScope;
import dev.sluice.devmongo.store.Store;
import dev.sluice.devmongo.store.StoredCollection;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** An {@code aggregate} whose pipeline starts with {@code $changeStream}. */
final class OpenStream implements Command {
    private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

    @Override
    public Outcome run(Invocation call) {
        if (!call.node().topology().replicaSet()) {
            throw CommandException.location(40573, "The $changeStream stage is only supported on replica sets");
        }
        requireMajority(call);
        List<BsonDocument> stages = call.command().getArray("pipeline").stream()
                .map(BsonValue::asDocument)
                .toList();
        boolean images = call.node().version().atLeast(6, 0);
        StreamOptions options = StreamOptions.parse(stages.getFirst().get("$changeStream", BsonNull.VALUE), images);
        StreamScope scope = scope(call, options);
        ChangeStreamCursor stream = ChangeStreamCursor.open(
                new ChangeStreamCursor.Opening(
                        call.node().oplog(),
                        scope,
                        stages.subList(1, stages.size()),
                        images,
                        lookup(call.store()),
                        call.node().faults()),
                options);
        return firstBatch(call, stream);
    }

    private static Outcome firstBatch(Invocation call, ChangeStreamCursor stream) {
        BsonDocument cursor = call.document("cursor");
        int batchSize =
                cursor.isNumber("batchSize") ? cursor.getNumber("batchSize").intValue() : Results.FIRST_BATCH;
        StreamBatch batch = stream.read(batchSize);
        String namespace = call.command().isString("aggregate")
                ? call.namespace().toString()
                : call.database() + ".$cmd.aggregate";
        long id = batch.closed()
                ? 0
                : call.node()
                        .cursors()
                        .add(namespace, call.sessionId(), new OpenCursor.Source.Stream(stream))
                        .id();
        return new Outcome.Events(batch, true, id, namespace);
    }

    private static void requireMajority(Invocation call) {
        BsonDocument concern = call.document("readConcern");
        if (concern.isString("level") && !concern.getString("level").getValue().equals("majority")) {
            String level = concern.getString("level").getValue();
            throw new CommandException(
                    72,
                    "InvalidOptions",
                    "Command aggregate does not support { readConcern: { level: \"%s\", provenance: \"clientSupplied\" } } :: caused by :: Aggregation stage $changeStream cannot run with a readConcern other than 'majority'. Current readConcern: %s"
                            .formatted(level, level));
        }
    }

    private static StreamScope scope(Invocation call, StreamOptions options) {
        String database = call.database();
        boolean overCollection = call.command().isString("aggregate");
        if (options.wholeCluster()) {
            if (!database.equals("admin") || overCollection) {
                throw new CommandException(
                        72,
                        "InvalidOptions",
                        "A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin' database,"
                                + " and with no collection name; found " + database
                                + (overCollection ? "." + call.namespace().collection() : ""));
            }
            return new StreamScope.WholeCluster();
        }
        if (INTERNAL.contains(database)) {
            throw new CommandException(
                    73,
                    "InvalidNamespace",
                    "$changeStream may not be opened on the internal " + database + " database");
        }
        return overCollection ? new StreamScope.OneCollection(call.namespace()) : new StreamScope.OneDatabase(database);
    }

    private static DocumentLookup lookup(Store store) {
        return (uuid, id) -> store.locked(() -> {
            StoredCollection collection = store.find(uuid);
            return collection == null ? null : collection.byId(id);
        });
    }
}
