package dev.sluice.worker.deadletter;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.partition.SubjectFilter;
import dev.sluice.worker.stream.JetStreamApi;
import dev.sluice.worker.stream.StreamRefusedException;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.util.ArrayList;
import java.util.List;

/**
 * The stream that keeps dead letters, of one or several groups. It refuses new messages when it is full: a stream that
 * deletes old ones instead would lose letters silently.
 *
 * @param name of the stream, and the first token of its subjects
 * @param maxBytes how large it may become when it is made here; 0: as large as the account allows
 * @param replicas when it is made here
 */
public record DeadLetterStream(String name, long maxBytes, int replicas) {
    private static final int EXISTS = 10058;
    private static final String TOKEN = "[A-Za-z0-9_-]+";

    public DeadLetterStream {
        if (!name.matches(TOKEN)) {
            throw new InvalidInputException("a dead-letter stream is named by letters, digits, '_' and '-', not "
                    + InvalidInputException.quote(name));
        }
        if (maxBytes < 0 || replicas < 1) {
            throw new InvalidInputException("the dead-letter stream " + name
                    + " needs max_bytes of at least 0 and at least one replica, not " + maxBytes + " and " + replicas);
        }
    }

    /** With no limit of its own, and one replica. */
    public static DeadLetterStream of(String name) {
        return new DeadLetterStream(name, 0, 1);
    }

    /** Every letter of a group. */
    String filter(String group) {
        return name + "." + group + ".>";
    }

    String subject(String group, LetterId id) {
        return name + "." + group + "." + id;
    }

    /**
     * Makes the stream if it is missing, and checks it if it is there.
     *
     * @return what an operator should know of a stream that others have made
     * @throws InvalidInputException when it would lose letters
     */
    List<String> ensure(JetStreamApi api, String group) {
        JsonValue config;
        try {
            config = config(api);
        } catch (StreamRefusedException missing) {
            if (missing.code() != StreamRefusedException.NO_SUCH_STREAM) {
                throw missing;
            }
            config = made(api);
        }
        refuseUnfit(config, group);
        return warnings(config);
    }

    private JsonValue config(JetStreamApi api) {
        return JsonValueUtils.readObject(api.request("STREAM.INFO." + name, ""), "config");
    }

    private JsonValue made(JetStreamApi api) {
        String wanted = JsonValueUtils.mapBuilder()
                .put("name", name)
                .put("subjects", JsonValueUtils.arrayBuilder().add(name + ".>").toJsonValue())
                .put("retention", "limits")
                .put("storage", "file")
                .put("discard", "new")
                .put("discard_new_per_subject", true)
                .put("max_msgs_per_subject", 1)
                .put("max_bytes", maxBytes == 0 ? -1 : maxBytes)
                .put("num_replicas", replicas)
                .toJson();
        try {
            return JsonValueUtils.readObject(api.request("STREAM.CREATE." + name, wanted), "config");
        } catch (StreamRefusedException refused) {
            if (refused.code() == EXISTS) {
                return config(api);
            }
            throw refused;
        }
    }

    private void refuseUnfit(JsonValue config, String group) {
        List<String> problems = new ArrayList<>();
        String letter = subject(group, new LetterId(0, 0, 0));
        List<String> subjects = JsonValueUtils.readStringList(config, "subjects");
        if (subjects.stream().noneMatch(filter -> SubjectFilter.matches(filter, letter))) {
            problems.add("its subjects " + subjects + " do not include " + filter(group) + " (nats stream edit " + name
                    + " --subjects '" + name + ".>')");
        }
        if (!"new".equals(JsonValueUtils.readString(config, "discard", "old"))) {
            problems.add("it deletes old messages when it is full (nats stream edit " + name + " --discard new)");
        }
        if (!"limits".equals(JsonValueUtils.readString(config, "retention", "limits"))) {
            problems.add("its retention is not limits, so consumers delete messages (make another stream)");
        }
        if (JsonValueUtils.readBoolean(config, "no_ack", false)) {
            problems.add("it does not acknowledge messages (nats stream edit " + name + " --ack)");
        }
        if (JsonValueUtils.readBoolean(config, "sealed", false)) {
            problems.add("it is sealed (make another stream)");
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(
                    "stream " + name + " cannot keep dead letters: " + String.join("; ", problems));
        }
    }

    private List<String> warnings(JsonValue config) {
        List<String> warnings = new ArrayList<>();
        if (JsonValueUtils.readLong(config, "max_age", 0) > 0) {
            warnings.add("stream " + name + " deletes dead letters after its max_age, silently: set it to 0");
        }
        if ("memory".equals(JsonValueUtils.readString(config, "storage", "file"))) {
            warnings.add("stream " + name + " keeps dead letters in memory: a restart of the server loses them");
        }
        if (JsonValueUtils.readBoolean(config, "deny_delete", false)) {
            warnings.add("stream " + name + " denies deletion: dead letters cannot be deleted or retried");
        }
        return warnings;
    }
}
