package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SluiceTest {

    private static final String WATCHED = """
            storage: {backends: [{name: a, connection: 'mongodb://127.0.0.1', database: d}]}
            puller: {backends: [{name: a, images: required}]}
            """;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int sluice(String... arguments) {
        return Sluice.run(
                new PrintWriter(out, true), new PrintWriter(err, true), Map.of("SECRET", "hunter2"), arguments);
    }

    @Test
    void helpTeachesOnStandardOutput() {
        assertThat(sluice("--help")).isZero();
        assertThat(out.toString()).contains("check", "sluice.example.yaml", "Exit codes", "docs/configuration.md");
        assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80, "fits a terminal");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void everyCommandHasHelpWithAnExample() {
        assertThat(sluice("check", "--help")).isZero();
        assertThat(out.toString()).contains("For example:", "--config");
    }

    @Test
    void runSaysEverythingThatIsMissingAtOnce() throws Exception {
        var config = Files.writeString(
                folder.resolve("empty.yaml"),
                "puller: {grpc: {address: ':0'}, health: {port: 0}, metrics: {port: 0}}\n");
        assertThat(sluice("run", "--config", config.toString(), "--role", "puller,outbox"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("outbox.datasource.url", "puller.backends", "2 problems; nothing was started");
    }

    @Test
    void tailWantsOneBeginningOnly() {
        assertThat(sluice("tail", "--after", "x", "--since", "1m")).isEqualTo(2);
        assertThat(err.toString()).contains("keep one");
    }

    @Test
    void statusSaysWhereNobodyAnswers() {
        assertThat(sluice("status", "--admin", "127.0.0.1:1")).isEqualTo(1);
        assertThat(err.toString()).contains("no node answers at 127.0.0.1:1");
    }

    @Test
    void benchReadsItsOwnOptions() {
        assertThat(sluice("bench", "no-such-benchmark", "--quick")).isEqualTo(2);
        // Help behind the name of a benchmark is the benchmark's, which the module bench writes.
        assertThat(sluice("bench", "no-such-benchmark", "--help")).isEqualTo(2);
        assertThat(sluice("bench", "--help")).isZero();
    }

    @Test
    void theVersionIsShown() {
        assertThat(sluice("--version")).isZero();
        assertThat(out.toString()).startsWith("sluice ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            chek                 | sluice: there is no command chek; did you mean check?
            zebra                | sluice: there is no command zebra; see sluice --help
            --vers               | sluice: there is no option --vers; did you mean --version?
            check                | sluice: set --config FILE; see sluice check --help
            check --confg x      | sluice: there is no option --confg; did you mean --config?
            check --config=x abc | sluice: there is no use for abc; see sluice check --help
            """)
    void wrongUsageIsOneSentenceAndExitCodeTwo(String arguments, String sentence) {
        assertThat(sluice(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly(sentence);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void noCommandIsWrongUsage() {
        assertThat(sluice()).isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly("sluice: name a command; see sluice --help");
    }

    @Test
    void checkAcceptsAGoodFile() throws Exception {
        var file = Files.writeString(folder.resolve("good.yaml"), WATCHED + "log: {level: debug}\n");
        assertThat(sluice("check", "--config", file.toString())).isZero();
        assertThat(out.toString().strip()).isEqualTo(file + ": fine");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void checkListsEveryProblemWithItsLineAndKey() throws Exception {
        var file = Files.writeString(folder.resolve("bad.yaml"), "log:\n  lvel: debug\nrouting: {num_partitions: 0}\n");
        assertThat(sluice("check", "--config", file.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        file + ":2: log.lvel: is not a setting; did you mean level?",
                        file + ":3: routing.num_partitions: must be between 1 and 256, is 0",
                        "sluice: 2 problems in " + file + "; nothing was started");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void warningsAloneDoNotFailACheck() throws Exception {
        var file = Files.writeString(folder.resolve("warn.yaml"), WATCHED + "security: {insecure: true}\n");
        assertThat(sluice("check", "--config", file.toString())).isZero();
        assertThat(err.toString()).startsWith("warning: " + file + ":3: security.insecure: ");
    }

    @Test
    void aReadPreferenceThatHasNoEffectIsAWarning() throws Exception {
        var file = Files.writeString(
                folder.resolve("preference.yaml"),
                "storage: {backends: [{name: a, database: d, connection: 'mongodb://h/?readPreference=secondary'},"
                        + " {name: b, database: d, connection: 'mongodb://h/?readPreference=primary'}]}\n");
        assertThat(sluice("check", "--role", "gateway", "--config", file.toString()))
                .isZero();
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("storage.backends[0].connection", "readPreference, which has no effect");
    }

    @Test
    void portsAreTriedOnlyWhenAsked() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var file = Files.writeString(
                    folder.resolve("ports.yaml"),
                    "puller: {grpc: {address: ':0'}, metrics: {port: 0}, health: {port: %d}}\n"
                                    .formatted(taken.getLocalPort())
                            + "routing: {grpc: {address: ':0'}}\ngateway: {address: ':0'}\n");
            assertThat(sluice("check", "--role", "streamer", "--config", file.toString()))
                    .isZero();
            assertThat(sluice("check", "--role", "streamer", "--config", file.toString(), "--ports"))
                    .isEqualTo(1);
            assertThat(err.toString()).contains("puller.health.port: this server cannot listen on 127.0.0.1:");
        }
    }

    /** Issue 12, row 41. */
    @Test
    void checkRefusesWhatRunRefusesForTheSameRoles() throws Exception {
        var file = Files.writeString(folder.resolve("empty.yaml"), "");
        for (var command : List.of("check", "run")) {
            err.getBuffer().setLength(0);
            assertThat(sluice(command, "--config", file.toString())).as(command).isEqualTo(1);
            assertThat(err.toString())
                    .as(command)
                    .startsWith(file + ": puller.backends: names no backend, so there is nothing to watch; name one of"
                            + " storage.backends, or name with --role the roles this file is for\n");
            assertThat(sluice(command, "--role", "outbox", "--config", file.toString()))
                    .as(command)
                    .isEqualTo(1);
            assertThat(err.toString()).as(command).contains("outbox.datasource.url: must be set for --role outbox");
        }
        assertThat(sluice("check", "--role", "gateway", "--config", file.toString()))
                .isZero();
    }

    /** Issue 12, row 27: the nodes would not know of each other's subscriptions. */
    @ParameterizedTest
    @CsvSource({"etcd, http://127.0.0.1:2379", "nats, nats://127.0.0.1:4222", "jdbc, jdbc:postgresql://127.0.0.1/sluice"
    })
    void aStreamerInAClusterIsRefused(String store, String server) throws Exception {
        var file = Files.writeString(
                folder.resolve("cluster.yaml"),
                WATCHED
                        + "cluster: {store: %s, replicas: %d, endpoints: ['%s']}\n"
                                .formatted(store, store.equals("nats") ? 3 : 1, server));
        var sentence =
                "cluster.store: is " + store + ", but the role streamer runs on one node only so far: a second one"
                        + " would lose events without a word; set memory, and start one Streamer";
        for (var command : List.of("check", "run")) {
            err.getBuffer().setLength(0);
            assertThat(sluice(command, "--role", "puller,streamer", "--config", file.toString()))
                    .as(command)
                    .isEqualTo(1);
            assertThat(err.toString().lines()).as(command).contains(file + ": " + sentence);
        }
    }

    /** Only the Streamer would open the store, and refuses it: members and endpoints would act nowhere. */
    @ParameterizedTest
    @CsvSource({"etcd, http://127.0.0.1:2379", "nats, nats://127.0.0.1:4222", "jdbc, jdbc:postgresql://127.0.0.1/sluice"
    })
    void aStoreThatNoRoleUsesIsRefused(String store, String server) throws Exception {
        var file = Files.writeString(
                folder.resolve("store.yaml"),
                WATCHED
                        + "outbox: {datasource: {url: 'jdbc:h2:mem:o'}}\n"
                        + "cluster: {store: %s, endpoints: ['%s']}\n".formatted(store, server));
        var sentence = file + ": cluster.store: is " + store + ", but no role uses it so far: a Streamer runs on one"
                + " node, an outbox's relays share their outbox's own database, and workers the NATS of worker.servers;"
                + " set memory, and remove"
                + " cluster.endpoints and cluster.replicas";
        for (var command : List.of("check", "run")) {
            for (var role : List.of("puller", "gateway", "outbox", "puller,gateway,outbox")) {
                err.getBuffer().setLength(0);
                assertThat(sluice(command, "--role", role, "--config", file.toString()))
                        .as(command + role)
                        .isEqualTo(1);
                assertThat(err.toString().lines()).as(command + role).contains(sentence);
            }
        }
        err.getBuffer().setLength(0);
        assertThat(sluice("check", "--config", file.toString())).isEqualTo(1);
        assertThat(err.toString()).startsWith(sentence);
    }

    @Test
    void etcdThatHoldsAMirrorIsTakenWithoutAStreamer() throws Exception {
        var file = Files.writeString(
                folder.resolve("mirror.yaml"),
                WATCHED.replace("puller: {", "puller: {checkpoint: {backend: etcd}, ")
                        + "cluster: {store: etcd, endpoints: ['http://127.0.0.1:2379']}\n");
        assertThat(sluice("check", "--role", "puller,gateway", "--config", file.toString()))
                .isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(sluice("check", "--config", file.toString())).isZero();
        assertThat(err.toString())
                .as("before anybody tries")
                .startsWith("warning: " + file + ": cluster.store: is etcd, but the role streamer runs on one node");
        assertThat(sluice("check", "--role", "streamer", "--config", file.toString()))
                .isEqualTo(1);
    }

    /** Issue 12, row 41. */
    @Test
    void aDirectoryThatCannotBeUsedIsStateCauseAndRemedy() throws Exception {
        var file = Files.writeString(folder.resolve("notes.txt"), "");
        assertThat(sluice("demo", "--data", file.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("sluice: cannot use " + file
                        + ": it is a file, not a directory; name a directory, or one" + " that is still to be made");
        err.getBuffer().setLength(0);
        assertThat(sluice("demo", "--data", file.resolve("below").toString())).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("sluice: cannot use " + file)
                .contains("Not a directory; name a directory that user");
    }

    /** Tests may run as a user whom no permission stops. */
    @Test
    void aDirectoryWithoutAccessIsStateCauseAndRemedy() {
        var user = System.getProperty("user.name");
        assertThat(FailureText.of(new AccessDeniedException("/data")))
                .isEqualTo("cannot use /data: permission denied; let user " + user
                        + " read and write it, or name another directory");
        assertThat(FailureText.of(
                        new UncheckedIOException(new FileSystemException("/data/log", null, "Read-only file system"))))
                .isEqualTo("cannot use /data/log: Read-only file system; name a directory that user " + user
                        + " can read and write");
        assertThat(FailureText.of(new IllegalStateException("two lines\nof them")))
                .isEqualTo("two lines");
    }

    @Test
    void devmongoServesUntilItIsInterrupted() throws Exception {
        var written = new PipedWriter();
        var lines = new BufferedReader(new PipedReader(written));
        var exitCode = new CompletableFuture<Integer>();
        var command = Thread.ofVirtual()
                .start(() -> exitCode.complete(Sluice.run(
                        new PrintWriter(written, true),
                        new PrintWriter(err, true),
                        Map.of(),
                        "devmongo",
                        "--port",
                        "0")));
        var port = Integer.parseInt(lines.readLine().replaceFirst("mongodb://127.0.0.1:(\\d+)/.*", "$1"));
        new Socket("127.0.0.1", port).close();
        command.interrupt();
        assertThat(exitCode.get(10, TimeUnit.SECONDS)).isZero();
        assertThatThrownBy(() -> new Socket("127.0.0.1", port).close()).isInstanceOf(ConnectException.class);
    }

    @Test
    void devmongoSaysWhenItsPortIsTaken() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThat(sluice("devmongo", "--port", "" + taken.getLocalPort())).isEqualTo(1);
            assertThat(err.toString().lines()).singleElement().asString().contains("cannot listen");
        }
    }

    @Test
    void aMissingFileIsOneSentence() {
        assertThat(sluice("check", "--config", "absent.yaml")).isEqualTo(1);
        assertThat(err.toString()).startsWith("absent.yaml: does not exist; ");
    }
}
