package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Pipeline;
import dev.sluice.devmongo.query.Query;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** An update by aggregation stages. MongoDB 4.4 reports it as a replacement, so we do. */
record PipelineUpdate(Pipeline pipeline) implements Change {
    private static final Set<String> ALLOWED =
            Set.of("$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith");

    static PipelineUpdate compile(BsonArray stages) {
        for (BsonValue stage : stages) {
            if (!(stage instanceof BsonDocument)) {
                throw CommandException.typeMismatch("Each element of the 'pipeline' array must be an object");
            }
        }
        Pipeline pipeline =
                Pipeline.compile(stages.stream().map(BsonValue::asDocument).toList());
        for (String name : pipeline.stageNames()) {
            if (!ALLOWED.contains(name)) {
                throw new CommandException(72, "InvalidOptions", name + " is not allowed to be used within an update");
            }
        }
        return new PipelineUpdate(pipeline);
    }

    @Override
    public Update.Result apply(BsonDocument before, @Nullable Query matchedBy, Instant now) {
        return Update.Result.replaced(before, Replacement.keepingId(before, insert(before, now)));
    }

    @Override
    public BsonDocument insert(BsonDocument base, Instant now) {
        return pipeline.run(Stream.of(base), now).findFirst().orElseThrow();
    }
}
