package dev.sluice.worker.stream;

import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;

/**
 * Consumers in JetStream's JSON. The one place that decides which fields a consumer of ours has: no BackOff (it would
 * replace the ack wait) and no MaxDeliver (past it the server drops the message).
 */
final class ConsumerJson {
    private ConsumerJson() {}

    /** @param action {@code create}: refuses another configuration of that name; {@code update}: refuses a missing one */
    static String request(String stream, ConsumerSpec spec, String action) {
        return JsonValueUtils.mapBuilder()
                .put("stream_name", stream)
                .put("config", config(spec))
                .put("action", action)
                .toJson();
    }

    private static JsonValue config(ConsumerSpec spec) {
        var config = JsonValueUtils.mapBuilder()
                .put("name", spec.name())
                .put("durable_name", spec.name())
                .put("max_deliver", -1)
                .put("max_waiting", spec.maxWaiting())
                .put("replay_policy", "instant");
        if (spec.filters().size() == 1) {
            config.put("filter_subject", spec.filters().getFirst());
        } else {
            config.put(
                    "filter_subjects",
                    new JsonValue(spec.filters().stream().map(JsonValue::new).toList()));
        }
        if (spec.startSequence() > 0) {
            config.put("deliver_policy", "by_start_sequence").put("opt_start_seq", spec.startSequence());
        } else {
            config.put("deliver_policy", "all");
        }
        if (spec.explicitAck()) {
            config.put("ack_policy", "explicit")
                    .put("ack_wait", spec.ackWait().toNanos())
                    .put("max_ack_pending", spec.maxAckPending());
        } else {
            config.put("ack_policy", "none");
        }
        Duration threshold = spec.inactiveThreshold();
        if (threshold != null) {
            config.put("inactive_threshold", threshold.toNanos());
        }
        if (spec.inMemory()) {
            config.put("mem_storage", true).put("num_replicas", 1);
        }
        return config.toJsonValue();
    }

    static ConsumerState state(JsonValue info) {
        JsonValue config = JsonValueUtils.readObject(info, "config");
        return new ConsumerState(
                text(info, "name"),
                filters(config),
                text(JsonValueUtils.readObject(info, "cluster"), "leader"),
                time(info, "created"),
                JsonValueUtils.readLong(info, "num_pending", 0),
                JsonValueUtils.readLong(info, "num_ack_pending", 0),
                JsonValueUtils.readLong(info, "num_redelivered", 0),
                JsonValueUtils.readLong(JsonValueUtils.readObject(info, "ack_floor"), "stream_seq", 0),
                !text(config, "ack_policy").equals("none"),
                JsonValueUtils.readLong(info, "num_waiting", 0) > 0
                        || JsonValueUtils.readBoolean(info, "push_bound", false));
    }

    private static List<String> filters(JsonValue config) {
        String single = text(config, "filter_subject");
        return single.isEmpty() ? JsonValueUtils.readStringList(config, "filter_subjects") : List.of(single);
    }

    static String text(JsonValue object, String field) {
        return Objects.requireNonNullElse(JsonValueUtils.readString(object, field), "");
    }

    static Instant time(JsonValue object, String field) {
        return OffsetDateTime.parse(text(object, field)).toInstant();
    }
}
