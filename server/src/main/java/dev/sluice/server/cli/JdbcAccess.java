package dev.sluice.server.cli;

import dev.sluice.model.InvalidInputException;
import dev.sluice.server.config.DatasourceConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.outbox.OutboxDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The database a command works on. A password is never an argument: others would see it in the list of processes. */
final class JdbcAccess {
    /** One for the work, the others for coordination beside it. */
    private static final int CONNECTIONS = 4;

    private static final String VARIABLE = "OUTBOX_PASSWORD";

    @Option(
            names = "--jdbc-url",
            paramLabel = "URL",
            required = true,
            description = "The outbox's database, as in jdbc:postgresql://127.0.0.1/shop.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private String url;

    @Option(names = "--user", paramLabel = "USER", description = "The database's user.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "A file that holds the password. Default: the environment's OUTBOX_PASSWORD.")
    private @Nullable Path passwordFile;

    OutboxDatabase open(Map<String, String> environment) {
        if (!DatasourceConfig.isKnown(url)) {
            throw new InvalidInputException(
                    "--jdbc-url must start with jdbc:postgresql:, jdbc:mariadb: (also for MySQL) or jdbc:h2:");
        }
        return OutboxDatabase.open(
                new DatasourceConfig(
                        Optional.of(new ConnectionString(url)), Optional.ofNullable(user), password(environment)),
                CONNECTIONS);
    }

    private Optional<Secret> password(Map<String, String> environment) {
        if (passwordFile == null) {
            return Optional.ofNullable(environment.get(VARIABLE)).map(Secret::new);
        }
        try {
            return Optional.of(new Secret(Files.readString(passwordFile).strip()));
        } catch (IOException unreadable) {
            throw new InvalidInputException("the password file " + passwordFile
                    + " cannot be read; see that it is there," + " is text, and that you may read it");
        }
    }
}
