package dev.sluice.bench;

import dev.sluice.capture.CaptureRunner;
import dev.sluice.capture.GroupCommitAppender;
import dev.sluice.grpc.PullerGrpcServer;
import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import dev.sluice.mongodb.MongoChangeSource;
import dev.sluice.mongodb.MongoSourceSettings;
import dev.sluice.net.ListenAddress;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.run.Loops;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * From the source's wall clock to ten gRPC consumers, at a steady 10,000 events/s, with the default batch and queue and
 * every commit synced. The bound is the draft's: p99 under 100 ms. The first ten seconds are left out.
 */
final class LatencyBenchmark {
    static final String NAME = "latency";
    static final String DESCRIPTION = "10,000 events/s from the source to ten consumers: p50, p99, most, in ms";

    private static final int CONSUMERS = 10;
    private static final int RATE = 10_000;
    private static final int WARM_UP_SECONDS = 10;
    private static final int BOUND_MILLIS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What came of it; as a Markdown table. */
    record Outcome(int seconds, long expected, long received, int p50, int p99, int most) {
        boolean passes() {
            return p99 < BOUND_MILLIS && received == expected;
        }

        String table() {
            return "| seconds | events × consumers | received | p50 ms | p99 ms | most ms | bound of p99 |%n"
                            .formatted()
                    + "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted()
                    + "| %d | %,d | %,d | %d | %d | %d | %d |%n"
                            .formatted(seconds, expected, received, p50, p99, most, BOUND_MILLIS);
        }
    }

    Outcome run(boolean quick) throws Exception {
        int seconds = WARM_UP_SECONDS + (quick ? 10 : 30);
        try (LoadedMongo mongo = new LoadedMongo();
                ScratchDirectory directory = new ScratchDirectory();
                RocksEventLog log = new RocksEventLog(directory.path(), "bench", RocksSettings.DEFAULT);
                MongoChangeSource source =
                        new MongoChangeSource(MongoSourceSettings.of(mongo.connection(), LoadedMongo.DATABASE))) {
            mongo.load(1);
            LiveTail tail = new LiveTail(log.state().head().position(), 10_000, 32 << 20);
            FreeSpace space = FreeSpace.of(directory.path(), 1 << 20);
            GroupCommitLimits limits = GroupCommitLimits.of(100, 1000);
            try (GroupCommitAppender appender = new GroupCommitAppender(
                            () -> new GroupCommit(log, limits, space, tail::publish).start(new Loops(), "log-writer"));
                    CaptureRunner capturing =
                            CaptureRunner.start(new Loops(), SluiceCapture.loop(source, log, appender), null);
                    PullerGrpcServer server = PullerGrpcServer.start(
                            ListenAddress.loopback(0),
                            ServerSecurity.NONE,
                            Map.of("bench", new LogReader(log, tail)),
                            PullerOptions.DEFAULT)) {
                return measure(mongo, server.port(), seconds);
            }
        }
    }

    private static Outcome measure(LoadedMongo mongo, int port, int seconds) throws Exception {
        LatencyHistogram latencies = new LatencyHistogram(System.currentTimeMillis() + WARM_UP_SECONDS * 1000L);
        long expected = (long) CONSUMERS * (RATE * seconds + 1);
        List<ManagedChannel> channels = new ArrayList<>();
        try {
            for (int k = 0; k < CONSUMERS; k++) {
                channels.add(consume(port, k, latencies));
            }
            mongo.loadSteadily(RATE, seconds);
            long patience = System.nanoTime() + PATIENCE.toNanos();
            while (latencies.received() < expected && System.nanoTime() < patience) {
                Thread.sleep(20);
            }
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
        return new Outcome(
                seconds - WARM_UP_SECONDS,
                expected,
                latencies.received(),
                latencies.quantile(0.5),
                latencies.quantile(0.99),
                latencies.quantile(1));
    }

    private static ManagedChannel consume(int port, int number, LatencyHistogram latencies) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(64 << 20)
                .build();
        SubscribeRequest request = SubscribeRequest.newBuilder()
                .setConsumerId("latency-" + number)
                .setAfter(ProgressMarker.NOWHERE.encode())
                .setEncoding(Encoding.BSON)
                .build();
        PullerServiceGrpc.newStub(channel).subscribeBatches(request, new StreamObserver<>() {
            @Override
            public void onNext(EventBatch batch) {
                latencies.add(batch.getEventsList());
            }

            @Override
            public void onError(Throwable ended) {}

            @Override
            public void onCompleted() {}
        });
        return channel;
    }
}
