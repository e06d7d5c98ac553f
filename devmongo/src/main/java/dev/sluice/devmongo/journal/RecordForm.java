package dev.sluice.devmongo.journal;

import dev.sluice.devmongo.oplog.Change;
import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.oplog.OplogEntry;
import dev.sluice.devmongo.token.ResumeToken;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** Records of the journal as BSON documents, and back. An event stays the bytes it is, so that a stream sends the same again. */
final class RecordForm {
    private RecordForm() {}

    static BsonDocument encode(JournalRecord record) {
        return switch (record) {
            case JournalRecord.Written written ->
                new BsonDocument("time", written.entry().time())
                        .append(
                                "changes",
                                array(written.entry().changes().stream()
                                        .map(RecordForm::encode)
                                        .toList()))
                        .append("effects", effects(written.effects()));
            case JournalRecord.Contents contents -> new BsonDocument("effects", effects(contents.effects()));
            case JournalRecord.Evicted evicted -> new BsonDocument("oldest", evicted.oldest());
            case JournalRecord.Term term -> new BsonDocument("term", new BsonInt64(term.number()));
        };
    }

    static JournalRecord decode(BsonDocument record) {
        if (record.containsKey("time")) {
            List<Change> changes =
                    documents(record, "changes").map(RecordForm::change).toList();
            return new JournalRecord.Written(new OplogEntry(record.getTimestamp("time"), changes), effectsOf(record));
        }
        if (record.containsKey("effects")) {
            return new JournalRecord.Contents(effectsOf(record));
        }
        return record.containsKey("oldest")
                ? new JournalRecord.Evicted(record.getTimestamp("oldest"))
                : new JournalRecord.Term(record.getInt64("term").getValue());
    }

    private static BsonDocument encode(Change change) {
        Mutation mutation = change.mutation();
        BsonDocument form = new BsonDocument(
                        "kind", new BsonString(mutation.kind().name()))
                .append("db", new BsonString(mutation.database()))
                .append("index", new BsonInt32(change.operationIndex()))
                .append("event", new BsonBinary(change.event()))
                .append("fullDocumentAt", new BsonInt32(change.fullDocumentAt()));
        append(form, "coll", mutation.collection() == null ? null : new BsonString(mutation.collection()));
        append(form, "uuid", mutation.uuid() == null ? null : new BsonBinary(mutation.uuid()));
        append(form, "key", mutation.documentKey());
        append(form, "to", mutation.to() == null ? null : new BsonString(mutation.to()));
        append(form, "before", mutation.before());
        append(form, "after", mutation.after());
        return form;
    }

    private static Change change(BsonDocument form) {
        Mutation mutation = new Mutation(
                Mutation.Kind.valueOf(form.getString("kind").getValue()),
                form.getString("db").getValue(),
                text(form, "coll"),
                form.containsKey("uuid") ? form.getBinary("uuid").asUuid() : null,
                document(form, "key"),
                null,
                null,
                text(form, "to"),
                document(form, "before"),
                document(form, "after"));
        byte[] event = form.getBinary("event").getData();
        return new Change(
                mutation,
                ResumeToken.parse(new RawBsonDocument(event).getDocument("_id")),
                form.getInt32("index").getValue(),
                event,
                form.getInt32("fullDocumentAt").getValue());
    }

    private static BsonArray effects(List<Effect> effects) {
        return array(effects.stream().map(RecordForm::encode).toList());
    }

    private static BsonDocument encode(Effect effect) {
        BsonDocument form = new BsonDocument("in", new BsonBinary(effect.collection()));
        return switch (effect) {
            case Effect.Put put -> form.append("put", put.document());
            case Effect.Remove remove -> form.append("remove", remove.id());
            case Effect.Shape shape ->
                form.append("db", new BsonString(shape.database()))
                        .append("shape", new BsonString(shape.name()))
                        .append("options", shape.options())
                        .append("indexes", array(shape.indexes()));
            case Effect.Drop drop -> form.append("drop", BsonBoolean.TRUE);
        };
    }

    private static List<Effect> effectsOf(BsonDocument record) {
        return documents(record, "effects").map(RecordForm::effect).toList();
    }

    private static Effect effect(BsonDocument form) {
        UUID collection = form.getBinary("in").asUuid();
        if (form.containsKey("put")) {
            return new Effect.Put(collection, form.getDocument("put"));
        }
        if (form.containsKey("remove")) {
            return new Effect.Remove(collection, Objects.requireNonNull(form.get("remove")));
        }
        return form.containsKey("drop")
                ? new Effect.Drop(collection)
                : new Effect.Shape(
                        collection,
                        form.getString("db").getValue(),
                        form.getString("shape").getValue(),
                        form.getDocument("options"),
                        documents(form, "indexes").toList());
    }

    private static BsonArray array(List<BsonDocument> documents) {
        return new BsonArray(documents);
    }

    private static Stream<BsonDocument> documents(BsonDocument form, String name) {
        return form.getArray(name).stream().map(BsonValue::asDocument);
    }

    private static void append(BsonDocument form, String name, @Nullable BsonValue value) {
        if (value != null) {
            form.append(name, value);
        }
    }

    private static @Nullable String text(BsonDocument form, String name) {
        return form.isString(name) ? form.getString(name).getValue() : null;
    }

    private static @Nullable BsonDocument document(BsonDocument form, String name) {
        return form.isDocument(name) ? form.getDocument(name) : null;
    }
}
