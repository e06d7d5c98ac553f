package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.store.CollectionView;
import dev.sluice.devmongo.update.Update;
import java.util.List;
import java.util.Objects;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** {@code update}: operators, replacements and pipelines, one or many, with upsert. */
final class UpdateDocuments implements Command {
    @Override
    public Outcome run(Invocation call) {
        Tally tally = new Tally();
        BsonArray errors = Statements.run(call, "updates", (index, statement) -> update(call, index, statement, tally));
        BsonDocument reply =
                new BsonDocument("n", new BsonInt32(tally.matched)).append("nModified", new BsonInt32(tally.modified));
        if (!tally.upserted.isEmpty()) {
            reply.append("upserted", tally.upserted);
        }
        return Statements.reply(call, reply, errors);
    }

    private static final class Tally {
        private int matched;
        private int modified;
        private final BsonArray upserted = new BsonArray();
    }

    private static void update(Invocation call, int index, BsonDocument statement, Tally tally) {
        CollectionView view = call.store().readView(call.namespace(), call.transaction());
        boolean multi = Invocation.flag(statement, "multi", false);
        BsonDocument filter = statement.getDocument("q");
        Query query = Query.compile(filter);
        Update update = Update.compile(statement.get("u", BsonNull.VALUE), arrayFilters(statement), multi);
        List<BsonDocument> found = Candidates.findToChange(view, filter, query, all -> multi ? all : all.limit(1));
        for (BsonDocument before : found) {
            tally.matched++;
            if (apply(Objects.requireNonNull(view), before, update, query) != before) {
                tally.modified++;
            }
        }
        if (found.isEmpty() && Invocation.flag(statement, "upsert", false)) {
            BsonDocument made = Insert.withId(update.upsert(filter));
            call.store().writeView(call.namespace(), call.transaction()).insert(made);
            tally.matched++;
            tally.upserted.add(new BsonDocument("index", new BsonInt32(index)).append("_id", made.get("_id")));
        }
    }

    static List<BsonDocument> arrayFilters(BsonDocument statement) {
        return statement.getArray("arrayFilters", new BsonArray()).stream()
                .map(BsonValue::asDocument)
                .toList();
    }

    /** Updates one document; returns the same one if nothing changed. */
    static BsonDocument apply(CollectionView view, BsonDocument before, Update update, Query query) {
        return switch (update.apply(before, query)) {
            case Update.Result.Unchanged unchanged -> before;
            case Update.Result.Modified modified -> {
                Insert.requireSize(modified.after());
                view.update(
                        before,
                        modified.after(),
                        new BsonDocument("updatedFields", modified.updatedFields())
                                .append("removedFields", modified.removedFields()));
                yield modified.after();
            }
            case Update.Result.Replaced replaced -> {
                Insert.requireSize(replaced.after());
                view.replace(before, replaced.after());
                yield replaced.after();
            }
        };
    }
}
