package dev.sluice.testkit.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Three NATS servers with one JetStream between them, for streams with three replicas. Each server may be hurt by itself:
 * stop, kill, pause and start it again by its {@link RealServer} methods.
 */
public final class NatsCluster implements AutoCloseable {
    private static final int SIZE = 3;
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(2))
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final List<Node> nodes;

    private record Node(String name, NatsServer server, int monitor) {}

    private NatsCluster(List<Node> nodes) {
        this.nodes = nodes;
    }

    /** Starts them and returns when JetStream has a leader that all of them know. */
    public static NatsCluster start(NatsLine line) {
        List<Integer> routes =
                IntStream.range(0, SIZE).mapToObj(number -> FreePorts.take()).toList();
        var cluster = new NatsCluster(IntStream.range(0, SIZE)
                .mapToObj(number -> node(line, "n" + (number + 1), routes.get(number), routes))
                .toList());
        try {
            cluster.servers().forEach(NatsServer::start);
            cluster.awaitHealthy();
            return cluster;
        } catch (RuntimeException failed) {
            cluster.close();
            throw failed;
        }
    }

    private static Node node(NatsLine line, String name, int route, List<Integer> routes) {
        int monitor = FreePorts.take();
        var peers = routes.stream().map(port -> "nats://127.0.0.1:" + port).collect(Collectors.joining(","));
        var server = new NatsServer(
                line,
                ServerPlace.temporary("nats-" + name),
                "--server_name=" + name,
                "--cluster_name=sluice",
                "--cluster=nats://127.0.0.1:" + route,
                "--routes=" + peers,
                "--http_port=" + monitor);
        return new Node(name, server, monitor);
    }

    public List<NatsServer> servers() {
        return nodes.stream().map(Node::server).toList();
    }

    /** The addresses of all servers, separated by commas. */
    public String url() {
        return servers().stream().map(NatsServer::url).collect(Collectors.joining(","));
    }

    /** @param name as JetStream tells it: {@code n1}, {@code n2}, {@code n3} */
    public NatsServer server(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findAny()
                .orElseThrow()
                .server();
    }

    /** The name by which JetStream tells this server. */
    public String nameOf(NatsServer server) {
        return nodes.stream()
                .filter(node -> node.server() == server)
                .findAny()
                .orElseThrow()
                .name();
    }

    /** The server that leads this stream, waiting for an election; asked from the servers that run. */
    public NatsServer leaderOf(String stream) {
        long deadline = System.nanoTime() + READY_WITHIN.toNanos();
        while (System.nanoTime() < deadline) {
            for (Node node : nodes) {
                Optional<String> leader = get(node, "/jsz?streams=true").flatMap(body -> leader(body, stream));
                if (leader.isPresent() && server(leader.get()).isRunning()) {
                    return server(leader.get());
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new IllegalStateException("stream " + stream + " has no leader after " + READY_WITHIN);
    }

    /** Waits until every server that runs has caught up, and JetStream's leader may place streams on all of them. */
    public void awaitHealthy() {
        long deadline = System.nanoTime() + READY_WITHIN.toNanos();
        while (!isHealthy()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the NATS cluster is not healthy after " + READY_WITHIN + "; see "
                        + servers().stream().map(NatsServer::logFile).toList());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean isHealthy() {
        List<Node> running =
                nodes.stream().filter(node -> node.server().isRunning()).toList();
        return running.stream().allMatch(node -> get(node, "/healthz").isPresent())
                && running.stream().anyMatch(node -> leadsAll(node, running.size()));
    }

    /** Healthy servers may still count as offline with the leader of 2.10, which then refuses streams of three replicas. */
    private boolean leadsAll(Node node, int running) {
        BsonDocument meta = get(node, "/jsz")
                .map(NatsCluster::parsed)
                .orElseGet(BsonDocument::new)
                .getDocument("meta_cluster", new BsonDocument());
        boolean leads = new BsonString(node.name()).equals(meta.get("leader"));
        long current = documents(meta, "replicas").stream()
                .filter(replica -> replica.getBoolean("current", BsonBoolean.FALSE)
                                .getValue()
                        && !replica.getBoolean("offline", BsonBoolean.FALSE).getValue())
                .count();
        return leads && current == running - 1;
    }

    /** Empty unless the answer is OK. */
    private Optional<String> get(Node node, String path) {
        if (!node.server().isRunning()) {
            return Optional.empty();
        }
        try {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.monitor() + path))
                    .timeout(Duration.ofSeconds(2))
                    .build();
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
        } catch (IOException unanswered) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static Optional<String> leader(String body, String stream) {
        List<BsonDocument> details = new ArrayList<>();
        for (BsonDocument account : documents(parsed(body), "account_details")) {
            details.addAll(documents(account, "stream_detail"));
        }
        return details.stream()
                .filter(detail -> detail.getString("name").getValue().equals(stream))
                .map(detail -> detail.getDocument("cluster", new BsonDocument())
                        .getString("leader", new BsonString(""))
                        .getValue())
                .filter(name -> !name.isEmpty())
                .findAny();
    }

    private static BsonDocument parsed(String body) {
        // Go's highest unsigned number, for "unlimited", is no number of BSON.
        return BsonDocument.parse(body.replace("18446744073709551615", "-1"));
    }

    private static List<BsonDocument> documents(BsonDocument of, String field) {
        return of.containsKey(field)
                ? of.getArray(field).stream().map(BsonValue::asDocument).toList()
                : List.of();
    }

    @Override
    public void close() {
        servers().forEach(NatsServer::close);
        http.close();
    }
}
