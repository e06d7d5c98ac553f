package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.util.List;
import java.util.Optional;

/** A SQL database, and who we are there. */
public record DatasourceConfig(
        @Setting(
                shown = "**required** for the role outbox",
                meaning = "Where it is, as in `jdbc:postgresql://127.0.0.1/shop`; PostgreSQL, MariaDB, MySQL or H2.")
        Optional<ConnectionString> url,

        @Setting(meaning = "The user.") Optional<String> username,

        @Setting(meaning = "The user's password; best as `${OUTBOX_PASSWORD}`.")
        Optional<Secret> password) {

    private static final List<String> KNOWN = List.of("jdbc:postgresql:", "jdbc:mariadb:", "jdbc:h2:");

    public DatasourceConfig {
        new Rules()
                .require(
                        url.isEmpty() || isKnown(url.get().reveal()),
                        "must start with jdbc:postgresql:, jdbc:mariadb: (also for MySQL) or jdbc:h2:",
                        "url")
                .enforce();
    }

    /** Whether there is a driver here for it. */
    public static boolean isKnown(String url) {
        return KNOWN.stream().anyMatch(url::startsWith);
    }
}
