package dev.sluice.server.config;

import dev.sluice.model.BackendName;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.util.List;

/** The databases Sluice may read. Naming one here watches nothing yet: {@code puller.backends} does. */
public record StorageConfig(
        @Setting(meaning = "The databases, each with a name that the other sections use.")
        List<Backend> backends) {

    public enum Type {
        MONGODB,
        OUTBOX
    }

    /** One source database. */
    public record Backend(
            @Setting(meaning = "The name other sections refer to; letters, digits, `_`, `-` and `.`.")
            String name,

            @Setting(fallback = "mongodb", meaning = "A MongoDB replica set, or a SQL database with an outbox table.")
            Type type,

            @Setting(meaning = "Where it is, as in `mongodb://127.0.0.1:27017` or `jdbc:postgresql://127.0.0.1/shop`.")
            ConnectionString connection,

            @Setting(
                    fallback = "",
                    shown = "**required** for mongodb",
                    meaning = "The database to watch; for an outbox the connection names it.")
            String database) {

        public Backend {
            new Rules()
                    .require(
                            BackendName.isValid(name),
                            "must be 1 to 64 letters, digits, _, - or ., not starting with - or ., because a directory"
                                    + " is named after it",
                            "name")
                    .require(
                            switch (type) {
                                case MONGODB ->
                                    connection.startsWith("mongodb://") || connection.startsWith("mongodb+srv://");
                                case OUTBOX -> connection.startsWith("jdbc:");
                            },
                            switch (type) {
                                case MONGODB -> "must start with mongodb:// or mongodb+srv:// for type mongodb";
                                case OUTBOX -> "must start with jdbc: for type outbox";
                            },
                            "connection",
                            "type")
                    .require(
                            type != Type.MONGODB || !database.isBlank(),
                            "must be set: the database to watch",
                            "database",
                            "type")
                    .enforce();
        }
    }
}
