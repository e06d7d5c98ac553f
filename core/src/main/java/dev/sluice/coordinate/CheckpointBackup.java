package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;
import org.bson.json.JsonWriterSettings;

/** The positions of a group at one time; one for each of its partitions, in their order. */
public record CheckpointBackup(String group, long generation, List<PartitionCheckpoint> checkpoints) {
    public CheckpointBackup {
        checkpoints = List.copyOf(checkpoints);
        for (int i = 0; i < checkpoints.size(); i++) {
            if (checkpoints.get(i).partition() != i) {
                throw new InvalidInputException("the backup has no position for partition " + i
                        + " in its place: it must have each partition once, in order");
            }
        }
    }

    public String toJson() {
        BsonArray all = new BsonArray();
        for (PartitionCheckpoint checkpoint : checkpoints) {
            all.add(new BsonDocument("partition", new BsonInt32(checkpoint.partition()))
                    .append("epoch", new BsonInt64(checkpoint.token().epoch()))
                    .append("position", new BsonString(checkpoint.position())));
        }
        return new BsonDocument("group", new BsonString(group))
                .append("generation", new BsonInt64(generation))
                .append("checkpoints", all)
                .toJson(JsonWriterSettings.builder().indent(true).build());
    }

    /** @throws InvalidInputException when it is not what {@link #toJson} writes */
    public static CheckpointBackup parse(String json) {
        try {
            BsonDocument document = BsonDocument.parse(json);
            long generation = document.getNumber("generation").longValue();
            List<PartitionCheckpoint> checkpoints = new ArrayList<>();
            for (BsonValue value : document.getArray("checkpoints")) {
                BsonDocument one = value.asDocument();
                checkpoints.add(new PartitionCheckpoint(
                        one.getNumber("partition").intValue(),
                        new FencingToken(generation, one.getNumber("epoch").longValue()),
                        one.getString("position").getValue(),
                        ""));
            }
            return new CheckpointBackup(document.getString("group").getValue(), generation, checkpoints);
        } catch (JsonParseException | BsonInvalidOperationException e) {
            throw new InvalidInputException("this is no backup of checkpoints: " + e.getMessage());
        }
    }
}
