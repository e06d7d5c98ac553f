package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Pipeline;
import dev.sluice.devmongo.store.CollectionView;
import dev.sluice.devmongo.store.Namespace;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code aggregate}: opens a change stream, or runs a pipeline over a collection. */
final class Aggregate implements Command {
    private final Command stream = new OpenStream();

    static boolean isStream(BsonDocument command) {
        return command.isArray("pipeline")
                && !command.getArray("pipeline").isEmpty()
                && command.getArray("pipeline").get(0).isDocument()
                && command.getArray("pipeline").get(0).asDocument().containsKey("$changeStream");
    }

    @Override
    public Outcome run(Invocation call) throws InterruptedException {
        return isStream(call.command())
                ? stream.run(call)
                : InSession.run(Aggregate::pipeline, RoleCheck.Need.READABLE, call);
    }

    private static Outcome pipeline(Invocation call) {
        List<BsonDocument> stages = call.command().getArray("pipeline").stream()
                .map(BsonValue::asDocument)
                .toList();
        boolean overCollection = call.command().isString("aggregate");
        String namespace = overCollection ? call.namespace().toString() : call.database() + ".$cmd.aggregate";
        List<BsonDocument> documents = overCollection ? overCollection(call, stages) : overDatabase(call, stages);
        int batchSize = call.document("cursor").isNumber("batchSize")
                ? call.document("cursor").getNumber("batchSize").intValue()
                : Results.FIRST_BATCH;
        return Results.first(call, namespace, documents, batchSize);
    }

    private static List<BsonDocument> overCollection(Invocation call, List<BsonDocument> stages) {
        Namespace namespace = call.namespace();
        if (namespace.equals(OplogDocuments.NAMESPACE)) {
            return Pipeline.compile(stages)
                    .run(OplogDocuments.all(call.node()).stream())
                    .toList();
        }
        CollectionView view = call.store().readView(namespace, call.transaction());
        Stream<BsonDocument> source = view == null ? Stream.of() : view.all().stream();
        return Pipeline.compile(stages).run(source).toList();
    }

    private static List<BsonDocument> overDatabase(Invocation call, List<BsonDocument> stages) {
        if (stages.isEmpty() || !stages.getFirst().getFirstKey().equals("$currentOp")) {
            throw new CommandException(
                    73, "InvalidNamespace", "{aggregate: 1} is not valid for this pipeline; name a collection.");
        }
        return Pipeline.compile(stages.subList(1, stages.size()))
                .run(SessionCommands.inProgress(call).stream())
                .toList();
    }
}
