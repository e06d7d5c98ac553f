package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code configureFailPoint} with {@code failCommand}, as driver tests use it. */
final class ConfigureFailPoint {
    private ConfigureFailPoint() {}

    static Outcome run(Invocation call) {
        if (!call.command().getString("configureFailPoint").getValue().equals("failCommand")) {
            throw new CommandException(249, "FailPointSetFailed", "devmongo knows the fail point failCommand only");
        }
        BsonValue mode = call.command().get("mode");
        if (mode != null && mode.isString() && mode.asString().getValue().equals("off")) {
            call.node().failPoints().clear();
        } else {
            call.node().failPoints().arm(failPoint(call.document("data"), times(mode)));
        }
        return Outcome.ok();
    }

    private static int times(@org.jspecify.annotations.Nullable BsonValue mode) {
        return mode != null && mode.isDocument() && mode.asDocument().isNumber("times")
                ? mode.asDocument().getNumber("times").intValue()
                : -1;
    }

    private static FailPoint failPoint(BsonDocument data, int times) {
        Set<String> commands = strings(data, "failCommands").stream().collect(Collectors.toSet());
        return new FailPoint(
                commands,
                times,
                data.isNumber("errorCode") ? data.getNumber("errorCode").intValue() : 0,
                data.isArray("errorLabels") ? strings(data, "errorLabels") : null,
                Invocation.flag(data, "closeConnection", false),
                Invocation.flag(data, "blockConnection", false) && data.isNumber("blockTimeMS")
                        ? data.getNumber("blockTimeMS").longValue()
                        : 0);
    }

    private static List<String> strings(BsonDocument data, String name) {
        return data.getArray(name, new BsonArray()).stream()
                .map(value -> value.asString().getValue())
                .toList();
    }
}
