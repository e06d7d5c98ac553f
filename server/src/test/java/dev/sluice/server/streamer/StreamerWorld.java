package dev.sluice.server.streamer;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.KafkaServer;
import dev.sluice.testkit.servers.NatsServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A Puller, a Streamer and six gateways as processes, the brokers between them, and what can be done to them. */
final class StreamerWorld implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(60);
    static final String TOPIC = "changes.orders";

    private enum Harm {
        KILL_PULLER,
        KILL_STREAMER,
        KILL_GATEWAY,
        FREEZE_STREAMER,
        FREEZE_GATEWAY,
        RESTART_NATS,
        RESTART_KAFKA,
        CUT_GATEWAY,
        CUT_PULLER
    }

    private final Random random;
    private final Path folder;
    private final NatsServer nats;
    private final KafkaServer kafka;
    private final FaultProxy pullerLink;
    private final ChildProcess puller;
    private final ChildProcess streamer;
    private final ControlPlane control;
    private final List<ChaosProcess> gateways = new ArrayList<>();
    private final List<Harm> deck = new ArrayList<>();
    private final List<String> done = new ArrayList<>();

    /** One gateway's process, and the connection the Streamer has to it; NATS's own for one behind NATS. */
    private record ChaosProcess(String id, ChildProcess process, FaultProxy link) {}

    StreamerWorld(Path folder, DevMongo mongo, Random random) throws IOException {
        this.random = random;
        this.folder = folder;
        this.nats = NatsServer.startPrivate();
        this.kafka = KafkaServer.startPrivate();
        ChaosConfigs setup = new ChaosConfigs(folder, mongo);
        this.pullerLink = FaultProxy.inFrontOf(setup.pullerPort());
        this.puller = sluice("puller", setup.pullerConfig());
        this.streamer = sluice("streamer", setup.streamerConfig(pullerLink.port()));
        this.control = new ControlPlane("http://127.0.0.1:" + setup.controlPort());
        puller.awaitLine("puller started", SOON);
        streamer.awaitLine("streamer started", SOON);
        for (String id : List.of("http-1", "http-2", "grpc-1", "grpc-2")) {
            start(id, id.substring(0, 4), ChaosConfigs.freePort());
        }
        start("nats-1", "nats", 0);
        gateways.forEach(gateway -> gateway.process().awaitLine("gateway started", SOON));
        control.registerGateway("kafka-1", "kafka", kafka.url() + "/changes.{collection}");
    }

    private static ChildProcess sluice(String role, Path config) {
        return ChildProcess.start(
                ProcessSpec.sluice("chaos-" + role, "run", "--config", config.toString(), "--role", role)
                        .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    }

    private void start(String id, String protocol, int port) {
        FaultProxy link = FaultProxy.inFrontOf(protocol.equals("nats") ? nats.port() : port);
        String endpoint = switch (protocol) {
            case "http" -> "http://127.0.0.1:" + link.port();
            case "grpc" -> "127.0.0.1:" + link.port();
            default -> "nats://127.0.0.1:" + link.port();
        };
        gateways.add(new ChaosProcess(
                id,
                ChildProcess.start(ProcessSpec.java(
                                "chaos-" + id,
                                ChaosGateway.class.getName(),
                                id,
                                protocol,
                                protocol.equals("nats") ? nats.url() : Integer.toString(port),
                                endpoint,
                                control.address(),
                                ledger(id).toString(),
                                Long.toString(random.nextLong()))
                        .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m")),
                link));
    }

    /** What a process that may be killed has recorded. */
    Path ledger(String id) {
        return folder.resolve(id + ".ledger");
    }

    Path complaints(String gateway) {
        return folder.resolve(gateway + ".ledger.complaints");
    }

    List<String> gatewayIds() {
        return gateways.stream().map(ChaosProcess::id).toList();
    }

    /** Each gateway asks twice: for everything, and for half of it. */
    List<String> subscriptions() {
        return Stream.concat(gateways.stream().map(ChaosProcess::id), Stream.of("kafka-1"))
                .flatMap(id -> Stream.of(id + "-all", id + "-even"))
                .filter(id -> !id.equals("kafka-1-even"))
                .toList();
    }

    void subscribe() {
        for (String subscription : subscriptions()) {
            String gateway = subscription.substring(0, subscription.lastIndexOf('-'));
            String filter = subscription.endsWith("-even") ? "{\"even\":true}" : "{}";
            control.subscribe(subscription, gateway, filter);
        }
    }

    /** Two harms at once, for a while; then all is well for a while, or not quite. */
    void hurtAndHeal() throws InterruptedException {
        Harm first = next();
        Harm second = next();
        while (second == first) {
            // The deck was shuffled anew between the two: a server is not killed, and started, twice at once.
            second = next();
        }
        List<Runnable> cures = List.of(harm(first), harm(second));
        Thread.sleep(random.nextInt(500, 7_000));
        cures.forEach(Runnable::run);
        Thread.sleep(random.nextInt(500, 4_000));
    }

    private Harm next() {
        if (deck.isEmpty()) {
            deck.addAll(List.of(Harm.values()));
            Collections.shuffle(deck, random);
        }
        return deck.removeLast();
    }

    /** Returns what makes it good again. */
    private Runnable harm(Harm harm) {
        ChaosProcess gateway = gateways.get(random.nextInt(gateways.size()));
        done.add(harm.name().contains("GATEWAY") ? harm + " " + gateway.id() : harm.toString());
        return switch (harm) {
            case KILL_PULLER -> kill(puller);
            case KILL_STREAMER -> kill(streamer);
            case KILL_GATEWAY -> kill(gateway.process());
            case FREEZE_STREAMER -> freeze(streamer);
            case FREEZE_GATEWAY -> freeze(gateway.process());
            case RESTART_NATS -> {
                nats.kill();
                yield nats::start;
            }
            case RESTART_KAFKA -> {
                kafka.kill();
                yield kafka::start;
            }
            case CUT_GATEWAY -> cut(gateway.link());
            case CUT_PULLER -> cut(pullerLink);
        };
    }

    private static Runnable kill(ChildProcess process) {
        process.kill9();
        return process::restart;
    }

    private static Runnable freeze(ChildProcess process) {
        if (process.isAlive()) {
            process.pause();
        }
        return () -> {
            if (process.isAlive()) {
                process.resume();
            }
        };
    }

    private static Runnable cut(FaultProxy link) {
        link.cut();
        return link::heal;
    }

    List<String> done() {
        return done;
    }

    ControlPlane control() {
        return control;
    }

    String kafkaServers() {
        return kafka.url();
    }

    @Override
    public void close() {
        gateways.forEach(gateway -> gateway.process().close());
        streamer.close();
        puller.close();
        gateways.forEach(gateway -> gateway.link().close());
        pullerLink.close();
        nats.close();
        kafka.close();
    }
}
