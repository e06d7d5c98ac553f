package dev.sluice.server.puller;

import dev.sluice.capture.OwedResync;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Json;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;

/** Checkpoints by backend in the form that leaves and enters a Puller: the admin API's JSON, each whole as bytes in base64. */
public final class SavedCheckpoints {
    private final Map<String, Checkpoint> byBackend = new TreeMap<>();

    private SavedCheckpoints() {}

    /** One backend's, for the admin API; the token is opaque, and only shown when asked for. */
    static BsonDocument json(String backend, @Nullable Checkpoint checkpoint, boolean whole) {
        var answer = Json.object(
                "name", backend,
                "clusterTime", checkpoint == null ? null : checkpoint.time(),
                "time",
                        checkpoint == null
                                ? null
                                : Instant.ofEpochSecond(checkpoint.time().t()));
        if (OwedResync.isOwed(checkpoint)) {
            answer.put("resyncDue", Json.value(true));
        }
        if (whole && checkpoint != null) {
            answer.put("saved", Json.value(Base64.getEncoder().encodeToString(checkpoint.encode())));
        }
        return answer;
    }

    /** @throws InvalidInputException when this is not what an export wrote, or holds no checkpoint */
    public static SavedCheckpoints read(String json) {
        var saved = new SavedCheckpoints();
        try {
            for (var item : BsonDocument.parse(json).getArray("checkpoints")) {
                var one = item.asDocument();
                if (one.containsKey("saved")) {
                    var bytes =
                            Base64.getDecoder().decode(one.getString("saved").getValue());
                    saved.byBackend.put(one.getString("name").getValue(), Checkpoint.decode(bytes));
                }
            }
        } catch (JsonParseException | BsonInvalidOperationException | IllegalArgumentException e) {
            throw new InvalidInputException("this is not what sluice checkpoints export writes: " + e.getMessage());
        }
        if (saved.byBackend.isEmpty()) {
            throw new InvalidInputException("there is no checkpoint in it: export from a Puller that has captured");
        }
        return saved;
    }

    public Stream<String> names() {
        return byBackend.keySet().stream();
    }

    public Checkpoint of(String backend) {
        var found = byBackend.get(backend);
        if (found == null) {
            throw new IllegalArgumentException("no checkpoint of " + backend);
        }
        return found;
    }
}
