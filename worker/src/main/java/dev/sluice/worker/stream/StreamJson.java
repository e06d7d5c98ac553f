package dev.sluice.worker.stream;

import dev.sluice.worker.stream.StreamState.Retention;
import dev.sluice.worker.stream.StreamState.Transform;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.util.ArrayList;
import java.util.List;

/** Streams in JetStream's JSON. */
final class StreamJson {
    private StreamJson() {}

    static StreamState state(JsonValue info) {
        JsonValue config = JsonValueUtils.readObject(info, "config");
        JsonValue state = JsonValueUtils.readObject(info, "state");
        long last = JsonValueUtils.readLong(state, "last_seq", 0);
        boolean empty = JsonValueUtils.readLong(state, "messages", 0) == 0;
        return new StreamState(
                ConsumerJson.text(config, "name"),
                ConsumerJson.time(info, "created"),
                retention(ConsumerJson.text(config, "retention")),
                empty ? last + 1 : JsonValueUtils.readLong(state, "first_seq", 0),
                last,
                JsonValueUtils.readLong(config, "max_consumers", -1),
                JsonValueUtils.readLong(config, "max_msgs_per_subject", -1),
                JsonValueUtils.readInteger(config, "num_replicas", 1),
                transforms(config),
                subjects(config));
    }

    private static List<String> subjects(JsonValue config) {
        boolean mirrors = !ConsumerJson.text(JsonValueUtils.readObject(config, "mirror"), "name")
                .isEmpty();
        return mirrors || !JsonValueUtils.readArray(config, "sources").isEmpty()
                ? List.of()
                : JsonValueUtils.readStringList(config, "subjects");
    }

    private static Retention retention(String name) {
        return switch (name) {
            case "workqueue" -> Retention.WORK_QUEUE;
            case "interest" -> Retention.INTEREST;
            default -> Retention.LIMITS;
        };
    }

    /** Its own transform, and those of what it mirrors or copies: all of them decide the subjects of stored messages. */
    private static List<Transform> transforms(JsonValue config) {
        List<JsonValue> found = new ArrayList<>();
        found.add(JsonValueUtils.readObject(config, "subject_transform"));
        found.addAll(JsonValueUtils.readArray(JsonValueUtils.readObject(config, "mirror"), "subject_transforms"));
        for (JsonValue source : JsonValueUtils.readArray(config, "sources")) {
            found.addAll(JsonValueUtils.readArray(source, "subject_transforms"));
        }
        return found.stream()
                .filter(transform -> !ConsumerJson.text(transform, "dest").isEmpty())
                .map(transform ->
                        new Transform(ConsumerJson.text(transform, "src"), ConsumerJson.text(transform, "dest")))
                .toList();
    }
}
