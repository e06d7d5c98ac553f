package dev.sluice.bench;

import com.google.protobuf.ByteString;
import dev.sluice.grpc.PullerGrpcServer;
import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.puller.v1.ClusterTime;
import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * P3: from the log on disk to a client in batches, against a plain server that streams one message per event. The floor
 * holds against gRPC as it comes; the second group shows what is left when both sides save their thread switches.
 */
final class StreamBenchmark implements Benchmark {
    private static final double FLOOR = 5;
    private static final int DOCUMENT_BYTES = 800;

    @Override
    public String name() {
        return "stream";
    }

    @Override
    public String description() {
        return "SubscribeBatches from the log to a client (800 B documents) against one bare gRPC message per event";
    }

    @Override
    public List<Group> groups(boolean quick) {
        int events = quick ? 200_000 : 1_000_000;
        try {
            Backlog backlog = new Backlog(events, DOCUMENT_BYTES, n -> n);
            return List.of(
                    new Group("800 B", new Bare(events, false), List.of(new Batches(backlog, false)), FLOOR),
                    new Group(
                            "800 B, direct executors", new Bare(events, true), List.of(new Batches(backlog, true)), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The generated stub on both sides, the message built once, sent while the client is ready. */
    private static final class Bare extends PullerServiceGrpc.PullerServiceImplBase implements Contender {
        private final int events;
        private final Event message;
        private final boolean direct;
        private final Server server;

        Bare(int events, boolean direct) throws IOException {
            this.events = events;
            this.direct = direct;
            this.message = Event.newBuilder()
                    .setId("1700000000-1-0123456789abcdef")
                    .setTenant("acme")
                    .setCollection("orders")
                    .setDocumentId("{\"$numberInt\":\"12345\"}")
                    .setOperationType("replace")
                    .setFullDocument(ByteString.copyFrom(new byte[DOCUMENT_BYTES]))
                    .setClusterTime(ClusterTime.newBuilder().setT(1_700_000_000).setI(1))
                    .setTimestamp(1_700_000_000_000L)
                    .setProgress(new ProgressMarker(Map.of(
                                    "bench",
                                    new dev.sluice.model.EventId(dev.sluice.model.ClusterTime.of(1_700_000_000, 1), 1)))
                            .encode())
                    .setBackend("bench")
                    .build();
            NettyServerBuilder builder = NettyServerBuilder.forAddress(
                    Listening.permit("bench", ListenAddress.loopback(0), Protection.NONE));
            this.server = (direct ? builder.directExecutor() : builder)
                    .addService(this)
                    .build()
                    .start();
        }

        @Override
        public String name() {
            return "one bare message per event";
        }

        @Override
        public void subscribe(SubscribeRequest request, StreamObserver<Event> observer) {
            ServerCallStreamObserver<Event> client = (ServerCallStreamObserver<Event>) observer;
            int[] sent = {0};
            client.setOnReadyHandler(() -> {
                while (client.isReady() && sent[0] < events) {
                    client.onNext(message);
                    if (++sent[0] == events) {
                        client.onCompleted();
                    }
                }
            });
        }

        @Override
        public Sample round() {
            try (CountingConsumer consumer = new CountingConsumer(server.getPort(), direct)) {
                Stopwatch watch = Stopwatch.start();
                long count = consumer.readAll();
                return watch.stop(count);
            }
        }
    }

    private static final class Batches implements Contender {
        private final Backlog backlog;
        private final boolean direct;
        private final PullerGrpcServer server;

        Batches(Backlog backlog, boolean direct) throws IOException {
            this.backlog = backlog;
            this.direct = direct;
            this.server = PullerGrpcServer.start(
                    ListenAddress.loopback(0),
                    ServerSecurity.NONE,
                    Map.of("bench", backlog.reader()),
                    PullerOptions.DEFAULT);
        }

        @Override
        public String name() {
            return "SubscribeBatches from the log";
        }

        @Override
        public Sample round() {
            try (CountingConsumer consumer = new CountingConsumer(server.port(), direct)) {
                ProgressMarker head = new ProgressMarker(
                        Map.of("bench", backlog.reader().state().head().id()));
                Stopwatch watch = Stopwatch.start();
                long count = consumer.readTo(head, Encoding.BSON, false);
                Sample sample = watch.stop(count);
                if (count != backlog.events()) {
                    throw new IllegalStateException(count + " events arrived of " + backlog.events());
                }
                return sample;
            }
        }
    }
}
