package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import java.time.Instant;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $redact}: each (sub-)document decides whether it stays, goes, or asks its own sub-documents. */
record Redact(Expression decision) implements Stage {
    static final BsonString KEEP = new BsonString("keep");
    static final BsonString PRUNE = new BsonString("prune");
    static final BsonString DESCEND = new BsonString("descend");

    @Override
    public Stream<BsonDocument> run(Stream<BsonDocument> documents, Instant now) {
        return documents.flatMap(document -> Stream.ofNullable(redact(document, now)));
    }

    private @Nullable BsonDocument redact(BsonDocument document, Instant now) {
        BsonValue decided = decision.evaluate(Scope.of(document, now));
        if (decided == KEEP) {
            return document;
        }
        if (decided == PRUNE) {
            return null;
        }
        if (decided != DESCEND) {
            throw CommandException.location(
                    17053,
                    "$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE");
        }
        BsonDocument result = new BsonDocument();
        document.forEach((name, value) -> {
            BsonValue kept = redactValue(value, now);
            if (kept != null) {
                result.put(name, kept);
            }
        });
        return result;
    }

    private @Nullable BsonValue redactValue(BsonValue value, Instant now) {
        return switch (value) {
            case BsonDocument nested -> redact(nested, now);
            case BsonArray array -> {
                BsonArray kept = new BsonArray();
                for (BsonValue element : array) {
                    BsonValue one = redactValue(element, now);
                    if (one != null) {
                        kept.add(one);
                    }
                }
                yield kept;
            }
            default -> value;
        };
    }
}
