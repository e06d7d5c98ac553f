package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatReply;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.ListReply;
import dev.sluice.grpc.streamer.v1.ListRequest;
import dev.sluice.grpc.streamer.v1.Refusal;
import dev.sluice.grpc.streamer.v1.RegisterGatewayReply;
import dev.sluice.grpc.streamer.v1.RegisterGatewayRequest;
import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.RemoveGatewayReply;
import dev.sluice.grpc.streamer.v1.RemoveGatewayRequest;
import dev.sluice.grpc.streamer.v1.RemoveReply;
import dev.sluice.grpc.streamer.v1.RemoveRequest;
import dev.sluice.grpc.streamer.v1.RenewReply;
import dev.sluice.grpc.streamer.v1.RenewRequest;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** The Streamer's control plane on a real socket, as a gateway sees it; the test does the rest. */
public final class StandInStreamer extends SubscriptionServiceGrpc.SubscriptionServiceImplBase
        implements AutoCloseable {
    private final int port;
    private Server server;
    public final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();
    public final List<Subscription> registrations = new CopyOnWriteArrayList<>();
    public final List<String> renewed = new CopyOnWriteArrayList<>();
    private final Map<String, Sender> senders = new ConcurrentHashMap<>();
    public final Map<String, RegisterGatewayRequest> gateways = new ConcurrentHashMap<>();
    public volatile String progress = marker(100);
    /** Markers before this one are too old. */
    public volatile int oldest;

    /** Of every registration; 0: as a Streamer of 0.1. */
    public volatile long revision;

    public volatile String refusal = "";

    /** A quota is the reason. */
    public volatile boolean full;
    /** What is asked is done, but its answer does not arrive. */
    public volatile boolean answersAreLost;
    /** Happens between a registration and its answer. */
    public volatile Callable<?> whenRegistered = () -> "";

    /** Happens before a renewal is answered. */
    public volatile Callable<?> whenRenewed = () -> "";

    public volatile int beats;

    public StandInStreamer() {
        server = listen(0);
        port = server.getPort();
    }

    private Server listen(int at) {
        try {
            return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), at))
                    .addService(this)
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    public static String marker(int n) {
        return new ProgressMarker(Map.of("shop", EventId.parse(Events.id(n)))).encode();
    }

    public void stop() throws InterruptedException {
        server.shutdownNow().awaitTermination();
    }

    public void startAgain() {
        server = listen(port);
    }

    public void forgetAll() {
        gateways.clear();
        subscriptions.clear();
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<RegisterReply> answer) {
        RegisterReply.Builder reply =
                RegisterReply.newBuilder().setProgress(progress).setRevision(revision);
        for (Subscription each : request.getSubscriptionsList()) {
            if (!each.getFrom().isEmpty() && position(each.getFrom()) < oldest) {
                answer.onError(Status.OUT_OF_RANGE
                        .withDescription("older than what is kept")
                        .asRuntimeException());
                return;
            }
            if (!refusal.isEmpty()) {
                reply.addRefusals(Refusal.newBuilder().setId(each.getId()).setReason(refusal));
                continue;
            }
            registrations.add(each);
            subscriptions.put(each.getId(), each);
        }
        if (reply.getRefusalsCount() > 0 && reply.getRefusalsCount() == request.getSubscriptionsCount()) {
            // As the real one does when it takes none of them.
            answer.onError((full ? Status.RESOURCE_EXHAUSTED : Status.INVALID_ARGUMENT)
                    .withDescription("subscription 0 \"" + reply.getRefusals(0).getId() + "\": " + refusal)
                    .asRuntimeException());
            return;
        }
        run(whenRegistered);
        if (answersAreLost) {
            answer.onError(Status.UNAVAILABLE.withDescription("lost").asRuntimeException());
            return;
        }
        send(answer, reply.build());
    }

    private static void run(Callable<?> action) {
        try {
            action.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static long position(String marker) {
        return ProgressMarker.decode(marker).positions().get("shop").time().i();
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<RenewReply> answer) {
        run(whenRenewed);
        RenewReply.Builder reply = RenewReply.newBuilder().setProgress(progress);
        renewed.addAll(request.getIdsList());
        request.getIdsList().stream()
                .filter(id -> !subscriptions.containsKey(id))
                .forEach(reply::addUnknown);
        send(answer, reply.build());
    }

    @Override
    public void remove(RemoveRequest request, StreamObserver<RemoveReply> answer) {
        request.getIdsList().forEach(subscriptions::remove);
        send(answer, RemoveReply.getDefaultInstance());
    }

    @Override
    public void removeGateway(RemoveGatewayRequest request, StreamObserver<RemoveGatewayReply> answer) {
        subscriptions.values().removeIf(each -> each.getGatewayId().equals(request.getGatewayId()));
        send(answer, RemoveGatewayReply.getDefaultInstance());
    }

    /** One to a page. */
    @Override
    public void list(ListRequest request, StreamObserver<ListReply> answer) {
        List<Subscription> all = subscriptions.values().stream()
                .filter(each -> each.getGatewayId().equals(request.getGatewayId()))
                .sorted(Comparator.comparing(Subscription::getId))
                .toList();
        int page = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
        ListReply.Builder reply = ListReply.newBuilder();
        all.stream().skip(page).limit(1).forEach(reply::addSubscriptions);
        send(
                answer,
                reply.setNextPageToken(page + 1 < all.size() ? "" + (page + 1) : "")
                        .build());
    }

    @Override
    public void registerGateway(RegisterGatewayRequest request, StreamObserver<RegisterGatewayReply> answer) {
        gateways.put(request.getGatewayId(), request);
        send(answer, RegisterGatewayReply.newBuilder().setLeaseSeconds(1).build());
    }

    @Override
    public void gatewayHeartbeat(GatewayHeartbeatRequest request, StreamObserver<GatewayHeartbeatReply> answer) {
        beats++;
        send(
                answer,
                GatewayHeartbeatReply.newBuilder()
                        .setKnown(gateways.containsKey(request.getGatewayId()))
                        .setLeaseSeconds(1)
                        .build());
    }

    private static <T> void send(StreamObserver<T> answer, T reply) {
        answer.onNext(reply);
        answer.onCompleted();
    }

    /** Delivers one event by HTTP to where the gateway takes them; returns the answer. */
    public String deliver(String gatewayId, String subscription, String document, long seq, String progress)
            throws Exception {
        Incoming plain = Events.event(subscription, document, seq);
        return send(gatewayId, Events.withProgress(plain, progress));
    }

    /** As {@link #deliver}, from a Streamer that tells how far partitions have passed instead of a marker. */
    public String deliverOf(String gatewayId, String subscription, int partition, long seq) throws Exception {
        Incoming plain = Events.withProgress(Events.event(subscription, "d" + partition, seq), "");
        return send(gatewayId, new Incoming(plain.event(), seq, partition, plain.token(), null, revision, "shop"));
    }

    /** Tells that one of two partitions has passed a place. */
    public int tellPassed(String gatewayId, int partition, int n) throws Exception {
        String body = "{\"events\":[],\"passed\":[{\"generation\":1,\"partitions\":2,\"partitionId\":" + partition
                + ",\"marker\":\"" + marker(n) + "\",\"revision\":" + revision + ",\"except\":[]}]}";
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(gateways.get(gatewayId).getEndpoint() + HttpEndpoint.PATH))
                                    .POST(HttpRequest.BodyPublishers.ofString(body))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    /** Tells a subscription that changes are missing. */
    public String deliverResync(String gatewayId, String subscription, long seq, String progress) throws Exception {
        Incoming resync = Events.event(
                subscription, "", seq, new dev.sluice.model.FencingToken(1, 1), EventType.RESYNC, Events.id(seq));
        return send(gatewayId, Events.withProgress(resync, progress));
    }

    private String send(String gatewayId, Incoming event) throws Exception {
        Sender sender = senders.computeIfAbsent(gateways.get(gatewayId).getEndpoint(), StandInStreamer::sender);
        return sender.send(event);
    }

    private static Sender sender(String endpoint) {
        try {
            return Sender.http(endpoint);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for what happens in another thread. */
    public static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within 20 seconds: " + what);
            }
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
