package dev.sluice.testkit.servers;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The program behind {@code dev/servers up|down|status [names…]}: the same servers as in the tests, for development by hand.
 * They go on when this program ends; {@code down} stops what {@code up} started and nothing else.
 */
public final class DevServers {

    /** @param byNameOnly not among those that start when no server is named */
    private record Known(String name, int usualPort, boolean byNameOnly, Function<ServerPlace, LocalServer> server) {
        Known(String name, int usualPort, Function<ServerPlace, LocalServer> server) {
            this(name, usualPort, false, server);
        }
    }

    /** A further server is a further line here. */
    private static final List<Known> KNOWN = List.of(
            new Known("postgres", 5432, PostgresServer::new),
            new Known("kafka", 9092, KafkaServer::new),
            new Known("nats", 4222, place -> new NatsServer(NatsLine.ANY, place)),
            new Known("etcd", 2379, EtcdServer::new),
            new Known("mariadb", 3306, MariaDbServer::new),
            new Known("nats-newest", 4222, true, place -> new NatsServer(NatsLine.NEWEST, place)));

    private static final String USAGE = "usage: dev/servers up|down|status [%s]"
            .formatted(String.join("|", KNOWN.stream().map(Known::name).toList()));

    private final Path runFolder;

    DevServers(Path runFolder) {
        this.runFolder = runFolder;
    }

    public static void main(String[] arguments) {
        if (arguments.length < 2) {
            fail(USAGE);
        }
        var words = List.of(arguments);
        try {
            new DevServers(Path.of(words.getFirst())).run(words.get(1), words.subList(2, words.size()));
        } catch (ServerUnavailableException | IllegalArgumentException e) {
            fail(e.getMessage());
        }
    }

    void run(String verb, List<String> names) {
        var chosen = chosen(names);
        switch (verb) {
            // Most of a start is waiting: let them wait together.
            case "up" -> chosen.parallelStream().forEach(this::up);
            case "down" -> chosen.parallelStream().forEach(this::down);
            case "status" -> chosen.forEach(this::status);
            default -> throw new IllegalArgumentException(USAGE);
        }
    }

    private static List<Known> chosen(List<String> names) {
        if (names.isEmpty()) {
            return KNOWN.stream().filter(known -> !known.byNameOnly()).toList();
        }
        return names.stream().map(DevServers::known).toList();
    }

    private static Known known(String name) {
        return KNOWN.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no server %s; %s".formatted(name, USAGE)));
    }

    private void up(Known known) {
        if (running(known).isEmpty()) {
            var place = ServerPlace.lasting(folder(known), FreePorts.from(known.usualPort()));
            var server = known.server().apply(place);
            server.start();
            pidFile(known).write(server.pid(), server.port());
        }
        status(known);
    }

    private void down(Known known) {
        running(known).ifPresent(RealServer::stop);
        pidFile(known).delete();
        status(known);
    }

    private void status(Known known) {
        var state = running(known)
                .map(server -> "%s  (process %d, log %s)".formatted(server.url(), server.pid(), server.logFile()))
                .orElse("is not running");
        System.out.printf("%-9s %s%n", known.name(), state);
    }

    /** The server that {@code up} started, if its process is still the same one. */
    private Optional<LocalServer> running(Known known) {
        return pidFile(known).read().map(started -> {
            var server = known.server().apply(ServerPlace.lasting(folder(known), started.port()));
            server.adopt(started.process());
            return server;
        });
    }

    private Path folder(Known known) {
        return runFolder.resolve(known.name());
    }

    private PidFile pidFile(Known known) {
        return new PidFile(folder(known).resolve("pid"));
    }

    private static void fail(@Nullable String message) {
        System.err.println("dev/servers: " + message);
        System.exit(1);
    }
}
