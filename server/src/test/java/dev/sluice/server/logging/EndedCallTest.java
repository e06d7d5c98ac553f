package dev.sluice.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.PullerGrpcServer;
import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.testkit.contract.FeedLog;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** What the gRPC library logs when a client, such as {@code sluice tail}, ends a call in the middle of a batch. */
@Timeout(30)
@Isolated("it reads and sets what the whole process logs of gRPC")
class EndedCallTest {
    private static final Logger GRPC = Logger.getLogger("io.grpc");
    private static final Logger CALLS = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

    private final ch.qos.logback.classic.Logger ours =
            (ch.qos.logback.classic.Logger) LoggerFactory.getLogger("dev.sluice");
    private final ch.qos.logback.classic.Level before = ours.getLevel();
    private final LinkedBlockingQueue<LogRecord> traces = new LinkedBlockingQueue<>();
    private final Handler collecting = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            if (logged.getThrown() != null) {
                traces.add(logged);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @AfterEach
    void restore() {
        GRPC.removeHandler(collecting);
        GRPC.setUseParentHandlers(true);
        CALLS.setLevel(null);
        ours.setLevel(before);
    }

    @Test
    void noStackTraceIsPrinted() throws Exception {
        GRPC.addHandler(collecting);
        GRPC.setUseParentHandlers(false);
        CALLS.setLevel(Level.ALL);
        var log = new FeedLog("a");
        for (var k = 0; k < 15_000; k++) {
            log.insert(10 + k, "d");
        }
        try (var server = PullerGrpcServer.start(
                ListenAddress.loopback(0),
                ServerSecurity.NONE,
                Map.of("a", log.reader()),
                PullerOptions.DEFAULT.withThresholds(Duration.ofMillis(5), Duration.ofMillis(10)))) {
            endWhileSending(server);
            var trace = traces.poll(20, TimeUnit.SECONDS);
            assertThat(trace).as("what the library says of it").isNotNull();
            var logger = Logger.getLogger(trace.getLoggerName());
            CALLS.setLevel(null);
            ServerLogging.apply(SluiceConfig.defaults().log());
            assertThat(logger.isLoggable(trace.getLevel()))
                    .as("%s at %s: %s", trace.getLoggerName(), trace.getLevel(), trace.getThrown())
                    .isFalse();
        }
    }

    /** Subscribes, reads nothing until the server waits, and hangs up. */
    private static void endWhileSending(PullerGrpcServer server) {
        var channel = Grpc.newChannelBuilder("127.0.0.1:" + server.port(), InsecureChannelCredentials.create())
                .build();
        var call = channel.newCall(PullerServiceGrpc.getSubscribeBatchesMethod(), CallOptions.DEFAULT);
        call.start(new ClientCall.Listener<EventBatch>() {}, new Metadata());
        call.sendMessage(SubscribeRequest.newBuilder()
                .setAfter(ProgressMarker.NOWHERE.encode())
                .build());
        call.halfClose();
        while (server.consumers().list().stream()
                .noneMatch(consumer -> consumer.state() == ConsumerStatus.State.PAUSED)) {
            LockSupport.parkNanos(2_000_000);
        }
        channel.shutdownNow();
    }
}
