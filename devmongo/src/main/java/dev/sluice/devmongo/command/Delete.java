package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.store.CollectionView;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code delete}: one or all that match. */
final class Delete implements Command {
    @Override
    public Outcome run(Invocation call) {
        CollectionView view = call.store().readView(call.namespace(), call.transaction());
        int[] deleted = new int[1];
        BsonArray errors = Statements.run(call, "deletes", (index, statement) -> {
            BsonDocument filter = statement.getDocument("q");
            boolean one =
                    statement.isNumber("limit") && statement.getNumber("limit").intValue() == 1;
            Query query = Query.compile(filter);
            for (BsonDocument document :
                    Candidates.findToChange(view, filter, query, all -> one ? all.limit(1) : all)) {
                if (view != null) {
                    view.delete(document);
                }
                deleted[0]++;
            }
        });
        return Statements.reply(call, new BsonDocument("n", new BsonInt32(deleted[0])), errors);
    }
}
