package dev.sluice.devmongo.aggregate;

import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/** Aggregation stages compiled once, in order. */
public final class Pipeline {
    private final List<String> stageNames;

    private Pipeline(List<String> stageNames) {
        this.stageNames = stageNames;
    }

    public static Pipeline compile(List<BsonDocument> stages) {
        return new Pipeline(stages.stream().map(BsonDocument::getFirstKey).toList());
    }

    /** The names of the stages in order, such as {@code $match}. */
    public List<String> stageNames() {
        return stageNames;
    }

    public Stream<BsonDocument> run(Stream<BsonDocument> documents) {
        return documents;
    }
}
