package dev.sluice.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** A server for end users in its own process, and the steps that the benchmark measures on it in each turn. */
final class GatewayContender implements Contender, AutoCloseable {
    private static final int SECONDS = 120;

    private final String name;
    private final Plan plan;
    private final Crowd crowd;
    private final CommandedProcess process;
    private final ProcessFigures figures;
    private final DeliverySide delivery;
    private final GatewayFeed feed;
    private final InetSocketAddress server;

    /** The number of the last event. */
    private int head;

    /**
     * What is asked of each contender in a turn.
     *
     * @param events each client gets so many by WebSocket
     * @param missed events that happen while the clients of the storm are away
     * @param storm the protocol of the storm
     * @param cutAhead clients whose connections the server has let go before the storm begins, see {@link FileLimit}
     */
    record Plan(int clients, int events, int missed, int pingMillis, ClientProtocol storm, int cutAhead) {}

    private GatewayContender(String name, Plan plan, Crowd crowd, CommandedProcess process, DeliverySide delivery)
            throws Exception {
        this.name = name;
        this.plan = plan;
        this.crowd = crowd;
        this.process = process;
        this.delivery = delivery;
        this.figures = new ProcessFigures(process.pid());
        this.server = new InetSocketAddress("127.0.0.1", Integer.parseInt(process.command("port")));
        await("registers", () -> !delivery.address().isEmpty());
        this.feed = new GatewayFeed(delivery.address());
    }

    static GatewayContender bare(Plan plan, Crowd crowd, Path directory) throws Exception {
        CommandedProcess process = process("bare Helidon", GatewayProcess.BARE, "", plan, directory);
        return new GatewayContender("bare Helidon", plan, crowd, process, new DeliverySide.OfBareServer(process));
    }

    static GatewayContender sluice(Plan plan, Crowd crowd, Path directory) throws Exception {
        BenchStreamer streamer = new BenchStreamer();
        CommandedProcess process =
                process("Sluice gateway", GatewayProcess.SLUICE, streamer.address(), plan, directory);
        return new GatewayContender("Sluice gateway", plan, crowd, process, new DeliverySide.OfGateway(streamer));
    }

    private static CommandedProcess process(String name, String kind, String streamer, Plan plan, Path directory)
            throws IOException {
        List<String> arguments = List.of(kind, streamer, String.valueOf(plan.clients), String.valueOf(plan.pingMillis));
        return new CommandedProcess(name, BenchHome.own(), GatewayProcess.class, arguments, directory);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Sample round() throws Exception {
        return turn(phase -> {}).messages();
    }

    /** @param progress hears what is done now */
    GatewayTurn turn(Consumer<String> progress) throws Exception {
        ClientProtocol webSocket = new WebSocketProtocol(false);
        progress.accept("connecting %,d WebSockets".formatted(plan.clients));
        long before = heap();
        Sample connect = connect(webSocket);
        long idle = heap();
        progress.accept("sending %,d messages".formatted((long) plan.clients * plan.events));
        Sample messages = messages(webSocket, plan.events);
        long used = heap();
        disconnect();
        progress.accept("cutting and reconnecting %,d clients over %s".formatted(plan.clients, plan.storm.name()));
        GatewayTurn.Storm storm = storm(plan.storm);
        disconnect();
        crowd.counts().verify();
        return new GatewayTurn(connect, messages, new GatewayTurn.Heap(before, idle, used), storm);
    }

    private long heap() throws IOException {
        return Long.parseLong(process.command("heap"));
    }

    private Sample connect(ClientProtocol protocol) throws Exception {
        delivery.headIs(head);
        crowd.counts().expect(Integer.MAX_VALUE);
        int before = delivery.subscriptions();
        Watch watch = new Watch();
        crowd.connect(server, protocol, head);
        awaitSubscriptions(before);
        return watch.stop(plan.clients);
    }

    private void awaitSubscriptions(int before) throws Exception {
        await("accepts all clients", () -> crowd.counts().openedConnections() == plan.clients);
        await("subscribes all clients", () -> delivery.subscriptions() - before >= plan.clients);
    }

    private Sample messages(ClientProtocol protocol, int events) throws Exception {
        int first = head + 1;
        head += events;
        crowd.counts().expect(head);
        Watch watch = new Watch();
        feed.broadcast(delivery.encoding(protocol), first, head, crowd);
        awaitFinished();
        delivery.headIs(head);
        return watch.stop((long) plan.clients * events);
    }

    private void awaitFinished() throws Exception {
        await("sends all events", () -> crowd.counts().finishedClients() == plan.clients);
    }

    /** Clients that have got an event are cut and come again at once. Meanwhile events have happened, if they resume. */
    private GatewayTurn.Storm storm(ClientProtocol protocol) throws Exception {
        connect(protocol);
        messages(protocol, 1);
        cutAhead();
        head += protocol.resumes() ? plan.missed : 1;
        delivery.headIs(protocol.resumes() ? head : head - 1);
        crowd.counts().expect(head);
        int before = delivery.subscriptions();
        long start = System.nanoTime();
        Watch watch = new Watch();
        crowd.reconnect(server, protocol);
        if (protocol.resumes()) {
            delivery.resume(feed, protocol, head, () -> isStormOver(start));
        } else {
            awaitSubscriptions(before);
            feed.broadcast(delivery.encoding(protocol), head, head, crowd);
        }
        awaitFinished();
        Sample reconnects = watch.stop(plan.clients);
        double half = crowd.counts().finishedWithin(0.5, start);
        return new GatewayTurn.Storm(reconnects, half, crowd.counts().finishedWithin(0.99, start));
    }

    private void cutAhead() throws Exception {
        if (plan.cutAhead > 0) {
            crowd.cut(plan.cutAhead);
            await("lets the first clients go", () -> connections() <= plan.clients - plan.cutAhead);
        }
    }

    private int connections() throws IOException {
        return Integer.parseInt(process.command("connections"));
    }

    private boolean isStormOver(long start) {
        return crowd.counts().finishedClients() == plan.clients
                || crowd.hasFailed()
                || System.nanoTime() - start > SECONDS * 1_000_000_000L;
    }

    private void disconnect() throws Exception {
        crowd.disconnect();
        await("lets all clients go", () -> connections() == 0);
    }

    /** Waits for what the server does, and says which server when it does not. */
    private void await(String what, Callable<Boolean> condition) throws Exception {
        crowd.await(name + " " + what, SECONDS, condition);
    }

    /** Wall time, and CPU time of the server's process. */
    private final class Watch {
        private final long wall = System.nanoTime();
        private final long cpu = figures.cpuNanos();

        Sample stop(long events) {
            return new Sample(events, System.nanoTime() - wall, figures.cpuNanos() - cpu);
        }
    }

    @Override
    public void close() {
        feed.close();
        process.close();
        delivery.close();
    }
}
