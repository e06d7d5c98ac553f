package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A NATS server with JetStream. */
public final class NatsServer extends LocalServer {

    private static final Map<NatsLine, SharedServer<NatsServer>> SHARED = new EnumMap<>(NatsLine.class);

    static {
        for (var line : NatsLine.values()) {
            SHARED.put(line, new SharedServer<>(() -> startPrivate(line)));
        }
    }

    private final NatsLine line;

    NatsServer(NatsLine line, ServerPlace place) {
        super("nats", place);
        this.line = line;
    }

    public static NatsServer shared() {
        return shared(NatsLine.ANY);
    }

    public static NatsServer shared(NatsLine line) {
        return Objects.requireNonNull(SHARED.get(line)).get();
    }

    public static NatsServer startPrivate() {
        return startPrivate(NatsLine.ANY);
    }

    public static NatsServer startPrivate(NatsLine line) {
        var server = new NatsServer(line, ServerPlace.temporary("nats"));
        server.start();
        return server;
    }

    @Override
    public String url() {
        return "nats://127.0.0.1:" + port();
    }

    @Override
    void prepare() throws IOException {
        Files.createDirectory(place().data());
    }

    @Override
    List<String> command() throws IOException {
        return List.of(
                line.program().toString(),
                "--addr=127.0.0.1",
                "--port=" + port(),
                "--jetstream",
                "--store_dir=" + place().data());
    }

    @Override
    String readyLine() {
        return "Server is ready";
    }

    @Override
    String remedy() {
        return line.remedy();
    }
}
