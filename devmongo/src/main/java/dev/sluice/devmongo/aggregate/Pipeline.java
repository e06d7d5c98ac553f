package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonCopy;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/**
 * Aggregation stages compiled once, in order; what is wrong with them is refused at {@link #compile}. Documents that
 * come in are never changed. Safe to share between threads.
 */
public final class Pipeline {
    private final List<String> stageNames;
    private final List<Stage> stages;

    private Pipeline(List<String> stageNames, List<Stage> stages) {
        this.stageNames = stageNames;
        this.stages = stages;
    }

    public static Pipeline compile(List<BsonDocument> stages) {
        for (BsonDocument stage : stages) {
            if (stage.size() != 1) {
                throw CommandException.location(
                        40323, "A pipeline stage specification object must contain exactly one field.");
            }
        }
        return new Pipeline(
                stages.stream().map(BsonDocument::getFirstKey).toList(),
                stages.stream().map(Pipeline::compileStage).toList());
    }

    private static Stage compileStage(BsonDocument stage) {
        var only = stage.entrySet().iterator().next();
        return Stage.compile(only.getKey(), BsonCopy.of(only.getValue()));
    }

    /** The names of the stages in order, such as {@code $match}. */
    public List<String> stageNames() {
        return stageNames;
    }

    public Stream<BsonDocument> run(Stream<BsonDocument> documents) {
        return run(documents, Instant.now());
    }

    /** As above, with the instant that {@code $$NOW} stands for. */
    public Stream<BsonDocument> run(Stream<BsonDocument> documents, Instant now) {
        Stream<BsonDocument> result = documents;
        for (Stage stage : stages) {
            result = stage.run(result, now);
        }
        return result;
    }
}
