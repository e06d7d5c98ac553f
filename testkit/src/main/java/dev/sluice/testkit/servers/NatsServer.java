package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
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
    private final List<String> options;

    NatsServer(NatsLine line, ServerPlace place, String... options) {
        super("nats", place);
        this.line = line;
        this.options = List.of(options);
    }

    public static NatsServer shared() {
        return shared(NatsLine.ANY);
    }

    public static NatsServer shared(NatsLine line) {
        return Objects.requireNonNull(SHARED.get(line)).get();
    }

    public static NatsServer startPrivate(NatsLine line) {
        var server = new NatsServer(line, ServerPlace.temporary("nats"));
        server.start();
        return server;
    }

    /** @param options such as {@code --user=…} and {@code --pass=…} */
    public static NatsServer startPrivate(String... options) {
        var server = new NatsServer(NatsLine.ANY, ServerPlace.temporary("nats"), options);
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
        var command = new ArrayList<>(List.of(
                line.program().toString(),
                "--addr=127.0.0.1",
                "--port=" + port(),
                "--jetstream",
                "--store_dir=" + place().data()));
        command.addAll(options);
        return command;
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
