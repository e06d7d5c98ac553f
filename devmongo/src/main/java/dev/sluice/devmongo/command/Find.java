package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Projection;
import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.query.SortOrder;
import dev.sluice.devmongo.store.Namespace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/** {@code find}. */
final class Find implements Command {
    @Override
    public Outcome run(Invocation call) {
        Namespace namespace = call.namespace();
        List<BsonDocument> documents = shape(call, matching(call, namespace));
        int limit = call.number("limit", 0);
        int batchSize = call.number("batchSize", Results.FIRST_BATCH);
        if (call.flag("singleBatch") || limit < 0) {
            int size = limit == 0 ? batchSize : Math.abs(limit);
            return Results.first(
                    call, namespace.toString(), documents.stream().limit(size).toList(), size);
        }
        return Results.first(call, namespace.toString(), documents, batchSize);
    }

    private static List<BsonDocument> matching(Invocation call, Namespace namespace) {
        BsonDocument filter = call.document("filter");
        Query query = Query.compile(filter);
        if (namespace.equals(OplogDocuments.NAMESPACE)) {
            return OplogDocuments.all(call.node()).stream()
                    .filter(query::matches)
                    .toList();
        }
        return Candidates.find(call.store().readView(namespace, call.transaction()), filter, query);
    }

    private static List<BsonDocument> shape(Invocation call, List<BsonDocument> found) {
        Stream<BsonDocument> documents = sorted(call, found).stream().skip(call.number("skip", 0));
        int limit = Math.abs(call.number("limit", 0));
        if (limit > 0) {
            documents = documents.limit(limit);
        }
        BsonDocument projection = call.document("projection");
        return projection.isEmpty()
                ? documents.toList()
                : documents.map(Projection.compile(projection)::apply).toList();
    }

    private static List<BsonDocument> sorted(Invocation call, List<BsonDocument> found) {
        BsonDocument sort = call.document("sort");
        if (sort.isEmpty()) {
            return found;
        }
        List<BsonDocument> ordered = new ArrayList<>(found);
        if (!sort.isNumber("$natural")) {
            ordered.sort(SortOrder.compile(sort));
        } else if (sort.getNumber("$natural").intValue() < 0) {
            Collections.reverse(ordered);
        }
        return ordered;
    }
}
