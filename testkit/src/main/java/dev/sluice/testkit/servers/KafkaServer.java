package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

/** A Kafka broker that is its own controller (KRaft), in a JVM of its own: the Java that runs the tests. */
public final class KafkaServer extends LocalServer {

    private static final SharedServer<KafkaServer> SHARED = new SharedServer<>(KafkaServer::startPrivate);
    private static final String CLUSTER_ID = "c2x1aWNlLXRlc3RrYWZrYQ";

    /** Only the first compiler: half the CPU time to start, and fast enough for tests. */
    private static final String QUICK_START = "-XX:TieredStopAtLevel=1";

    private final int controllerPort = FreePorts.take();
    private final int clientPort;

    /** How clients come, and what the broker needs to know for that. */
    private final String protocol;

    private final String security;

    KafkaServer(ServerPlace place) {
        this(place, port -> port, "PLAINTEXT", "");
    }

    private KafkaServer(ServerPlace place, IntUnaryOperator door, String protocol, String security) {
        super("kafka", place);
        this.protocol = protocol;
        this.security = security;
        this.clientPort = door.applyAsInt(place.port());
    }

    public static KafkaServer shared() {
        return SHARED.get();
    }

    public static KafkaServer startPrivate() {
        return startBehind(port -> port);
    }

    /**
     * A broker names the port by which clients come: to put something between them, it must be told before.
     *
     * @param door makes, of the port where the broker listens, the one that clients are told
     */
    public static KafkaServer startBehind(IntUnaryOperator door) {
        var server = new KafkaServer(ServerPlace.temporary("kafka"), door, "PLAINTEXT", "");
        server.start();
        return server;
    }

    /** One that lets in this user alone, by SASL/PLAIN in cleartext. */
    public static KafkaServer startAsking(String user, String password) {
        var server = new KafkaServer(ServerPlace.temporary("kafka"), port -> port, "SASL_PLAINTEXT", """
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
                security.inter.broker.protocol=SASL_PLAINTEXT
                sasl.mechanism.inter.broker.protocol=PLAIN
                sasl.enabled.mechanisms=PLAIN
                listener.name.sasl_plaintext.plain.sasl.jaas.config=%1$s required username="%2$s" password="%3$s" user_%2$s="%3$s";
                """.formatted(
                        "org.apache.kafka.common.security.plain.PlainLoginModule", user, password));
        server.start();
        return server;
    }

    /** {@code bootstrap.servers} for clients. */
    @Override
    public String url() {
        return "127.0.0.1:" + clientPort;
    }

    @Override
    void prepare() throws IOException {
        var version = ServerArtifacts.nameAndVersion(ServerArtifacts.ofBuild().jar("kafka_2.13"));
        var format = List.of("format", "--cluster-id", CLUSTER_ID, "--config");
        copyNewData(version, format, into -> {
            var config = configure("format.properties", into).toString();
            var arguments = Stream.concat(format.stream(), Stream.of(config)).toList();
            Tool.in(place().folder()).run(java(List.of(QUICK_START), "kafka.tools.StorageTool", arguments));
        });
    }

    @Override
    List<String> command() throws IOException {
        return java(
                place().endsWithJvm() ? quickStart() : List.of("-XX:TieredStopAtLevel=4"),
                "kafka.Kafka",
                List.of(configure("server.properties", place().data()).toString()));
    }

    /**
     * The first broker that ends in its orderly way leaves its loaded classes in the cache: those that come after it start in
     * half the time. An archive of another Java or other jars is not used, and replaced.
     */
    private static List<String> quickStart() throws IOException {
        var classes = ServerArtifacts.ofBuild().classPath() + System.getProperty("java.vm.version");
        var archive = ServerCache.ofUser().root().resolve("kafka-classes-%08x.jsa".formatted(classes.hashCode()));
        return List.of(QUICK_START, "-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + archive);
    }

    private static List<String> java(List<String> jvmOptions, String main, List<String> arguments) throws IOException {
        return Stream.of(
                        List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        jvmOptions,
                        List.of(
                                "-Xmx512m",
                                "-XX:+UseSerialGC",
                                "-Dorg.slf4j.simpleLogger.showDateTime=true",
                                "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                                // The thousand values of its configuration are in its documentation.
                                "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config.AbstractConfig=warn",
                                "-cp",
                                ServerArtifacts.ofBuild().classPath(),
                                main),
                        arguments)
                .flatMap(List::stream)
                .toList();
    }

    /**
     * One node holds the only replica of everything; a group does not wait for more members; a broker that was killed may come
     * back after three seconds.
     */
    private Path configure(String file, Path data) throws IOException {
        return Files.writeString(
                place().folder().resolve(file),
                """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                controller.listener.names=CONTROLLER
                listeners=%5$s://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=%5$s://127.0.0.1:%4$d
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=4
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                transaction.state.log.num.partitions=4
                share.coordinator.state.topic.replication.factor=1
                share.coordinator.state.topic.min.isr=1
                group.initial.rebalance.delay.ms=0
                broker.heartbeat.interval.ms=500
                broker.session.timeout.ms=3000
                log.cleaner.dedupe.buffer.size=16777216
                """.formatted(port(), controllerPort, data, clientPort, protocol) + security);
    }

    @Override
    String readyLine() {
        return "Kafka Server started";
    }

    @Override
    String remedy() {
        return "look into its log";
    }
}
