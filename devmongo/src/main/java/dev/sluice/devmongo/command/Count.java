package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Query;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code count}. */
final class Count implements Command {
    @Override
    public Outcome run(Invocation call) {
        BsonDocument filter = call.document("query");
        int all = Candidates.find(
                        call.store().readView(call.namespace(), call.transaction()), filter, Query.compile(filter))
                .size();
        int left = Math.max(0, all - call.number("skip", 0));
        int limit = Math.abs(call.number("limit", 0));
        return Outcome.of(new BsonDocument("n", new BsonInt32(limit == 0 ? left : Math.min(left, limit))));
    }
}
