package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Projection;
import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.query.SortOrder;
import dev.sluice.devmongo.store.CollectionView;
import dev.sluice.devmongo.update.Update;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code findAndModify}: changes or removes one document and returns it, before or after. */
final class FindAndModify implements Command {
    @Override
    public Outcome run(Invocation call) {
        CollectionView view = call.store().readView(call.namespace(), call.transaction());
        BsonDocument filter = call.document("query");
        Query query = Query.compile(filter);
        BsonDocument sort = call.document("sort");
        List<BsonDocument> found = Candidates.findToChange(
                view, filter, query, all -> (sort.isEmpty() ? all : all.sorted(SortOrder.compile(sort))).limit(1));
        BsonDocument before = found.isEmpty() ? null : found.getFirst();
        return call.flag("remove") ? remove(call, view, before) : update(call, view, before, query);
    }

    private static Outcome remove(Invocation call, @Nullable CollectionView view, @Nullable BsonDocument before) {
        if (view != null && before != null) {
            view.delete(before);
        }
        return reply(call, new BsonDocument("n", new BsonInt32(before == null ? 0 : 1)), before);
    }

    private static Outcome update(
            Invocation call, @Nullable CollectionView view, @Nullable BsonDocument before, Query query) {
        BsonValue specification = call.command().get("update", new BsonDocument());
        Update update = Update.compile(specification, UpdateDocuments.arrayFilters(call.command()), false);
        boolean returnNew = call.flag("new");
        BsonDocument result = new BsonDocument("n", new BsonInt32(1));
        if (view != null && before != null) {
            BsonDocument after = UpdateDocuments.apply(view, before, update, query);
            return reply(call, result.append("updatedExisting", BsonBoolean.TRUE), returnNew ? after : before);
        }
        if (!call.flag("upsert")) {
            return reply(
                    call, new BsonDocument("n", new BsonInt32(0)).append("updatedExisting", BsonBoolean.FALSE), null);
        }
        BsonDocument made = Insert.withId(update.upsert(call.document("query")));
        call.store().writeView(call.namespace(), call.transaction()).insert(made);
        result.append("updatedExisting", BsonBoolean.FALSE).append("upserted", made.get("_id"));
        return reply(call, result, returnNew ? made : null);
    }

    private static Outcome reply(Invocation call, BsonDocument lastError, @Nullable BsonDocument value) {
        BsonDocument fields = call.document("fields");
        BsonDocument shown = value == null || fields.isEmpty()
                ? value
                : Projection.compile(fields).apply(value);
        return Outcome.of(
                new BsonDocument("lastErrorObject", lastError).append("value", shown == null ? BsonNull.VALUE : shown));
    }
}
