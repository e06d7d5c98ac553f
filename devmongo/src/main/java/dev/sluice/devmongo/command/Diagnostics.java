package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.ServerVersion;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/** What shells, connectors and monitors ask on connecting. */
final class Diagnostics {
    private static final int MAX_DOCUMENT_BYTES = 16 << 20;

    private Diagnostics() {}

    static Outcome buildInfo(Invocation call) {
        ServerVersion version = call.node().version();
        BsonDocument environment = new BsonDocument();
        for (String name : List.of(
                "distmod",
                "distarch",
                "cc",
                "ccflags",
                "cxx",
                "cxxflags",
                "linkflags",
                "target_arch",
                "target_os",
                "cppdefines")) {
            environment.append(name, new BsonString("devmongo"));
        }
        return Outcome.of(new BsonDocument("version", new BsonString(version.toString()))
                .append("gitVersion", new BsonString("devmongo"))
                .append("modules", new BsonArray())
                .append("allocator", new BsonString("system"))
                .append("javascriptEngine", new BsonString("none"))
                .append("sysInfo", new BsonString("deprecated"))
                .append("versionArray", numbers(version.major(), version.minor(), version.patch(), 0))
                .append(
                        "openssl",
                        new BsonDocument("running", new BsonString("disabled"))
                                .append("compiled", new BsonString("disabled")))
                .append("buildEnvironment", environment)
                .append("bits", new BsonInt32(64))
                .append("debug", BsonBoolean.FALSE)
                .append("maxBsonObjectSize", new BsonInt32(MAX_DOCUMENT_BYTES))
                .append("storageEngines", new BsonArray(List.of(new BsonString("devmongo")))));
    }

    private static BsonArray numbers(int... values) {
        BsonArray array = new BsonArray();
        for (int value : values) {
            array.add(new BsonInt32(value));
        }
        return array;
    }

    static Outcome getParameter(Invocation call) {
        BsonDocument reply = new BsonDocument();
        for (String name : call.command().keySet()) {
            if (name.equals("featureCompatibilityVersion")) {
                ServerVersion version = call.node().version();
                reply.append(
                        name, new BsonDocument("version", new BsonString(version.major() + "." + version.minor())));
            } else if (call.node().parameters().containsKey(name)) {
                reply.append(name, call.node().parameters().get(name));
            }
        }
        if (reply.isEmpty()) {
            throw new CommandException(72, "InvalidOptions", "no option found to get");
        }
        return Outcome.of(reply);
    }

    static Outcome setParameter(Invocation call) {
        BsonValue was = BsonNull.VALUE;
        for (var option : call.command().entrySet()) {
            String name = option.getKey();
            if (!name.equals("setParameter") && !name.startsWith("$") && !name.equals("lsid")) {
                BsonValue before = call.node().parameters().put(name, option.getValue());
                was = before == null ? was : before;
            }
        }
        return Outcome.of(new BsonDocument("was", was));
    }

    static Outcome hostInfo(Invocation call) {
        return Outcome.of(new BsonDocument(
                        "system",
                        new BsonDocument("currentTime", new BsonDateTime(System.currentTimeMillis()))
                                .append("hostname", new BsonString("localhost"))
                                .append(
                                        "numCores",
                                        new BsonInt32(Runtime.getRuntime().availableProcessors())))
                .append("os", new BsonDocument("type", new BsonString(System.getProperty("os.name", "unknown"))))
                .append("extra", new BsonDocument()));
    }

    static Outcome commandLine(Invocation call) {
        return Outcome.of(new BsonDocument("argv", new BsonArray(List.of(new BsonString("devmongo"))))
                .append("parsed", new BsonDocument()));
    }

    static Outcome connectionStatus(Invocation call) {
        return Outcome.of(new BsonDocument(
                "authInfo",
                new BsonDocument("authenticatedUsers", new BsonArray())
                        .append("authenticatedUserRoles", new BsonArray())));
    }

    static Outcome log(Invocation call) {
        return Outcome.of(new BsonDocument("totalLinesWritten", new BsonInt32(0)).append("log", new BsonArray()));
    }

    static Outcome serverStatus(Invocation call) {
        return Outcome.of(new BsonDocument("host", new BsonString(call.node().address()))
                .append("version", new BsonString(call.node().version().toString()))
                .append("process", new BsonString("devmongo"))
                .append("pid", new BsonInt64(ProcessHandle.current().pid()))
                .append("uptime", new BsonDouble(0))
                .append("localTime", new BsonDateTime(System.currentTimeMillis()))
                .append("storageEngine", new BsonDocument("name", new BsonString("devmongo"))));
    }

    static Outcome whatsMyUri(Invocation call) {
        return Outcome.of(
                new BsonDocument("you", new BsonString(call.connection().peer())));
    }

    static Outcome refuseCredentials(Invocation call) {
        throw new CommandException(18, "AuthenticationFailed", "devmongo has no users: connect without credentials.");
    }
}
