package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.net.ListenAddress;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A consumer is a position: a thousand of them need no thousand threads, and little memory. */
@Timeout(60)
@Isolated("it counts threads and looks at the heap")
class ManyConsumersTest {
    private static final int CONSUMERS = 1_000;

    private final TestBackend backend = new TestBackend(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger events = new AtomicInteger();
    private ManagedChannel channel;

    @AfterEach
    void disconnect() {
        channel.shutdownNow();
    }

    @Test
    void aThousandConsumersShareTheThreadsAndTheNextOneIsRefused() throws Exception {
        try (PullerGrpcServer server = PullerGrpcServer.start(
                ListenAddress.loopback(0),
                ServerSecurity.NONE,
                Map.of("a", backend.reader),
                PullerOptions.DEFAULT.withMaxConnections(CONSUMERS))) {
            channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .usePlaintext()
                    .build();
            subscribe("warm", new CompletableFuture<>());
            PullerGrpcServerTest.awaitUntil(() -> begun.get() == 1);
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            long before = SlowConsumerTest.usedHeap();
            for (int k = 1; k < CONSUMERS; k++) {
                subscribe("consumer-" + k, new CompletableFuture<>());
            }
            PullerGrpcServerTest.awaitUntil(() -> begun.get() == CONSUMERS);
            long each = (SlowConsumerTest.usedHeap() - before) / CONSUMERS;
            int more = ManagementFactory.getThreadMXBean().getThreadCount() - threads;
            long cpu = cpuOfASecond();
            System.out.printf(
                    "%d consumers: %d more threads, %,d bytes each (both ends), idle they take %d ms of CPU a second%n",
                    CONSUMERS, more, each, cpu);
            assertThat(more).isLessThan(20);
            assertThat(each).isLessThan(64 << 10);

            CompletableFuture<Status> refused = new CompletableFuture<>();
            subscribe("one too many", refused);
            assertThat(refused.get(20, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);

            backend.inserts(10);
            PullerGrpcServerTest.awaitUntil(() -> events.get() == 10 * CONSUMERS);
            channel.shutdownNow();
            PullerGrpcServerTest.awaitUntil(() -> server.consumers().size() == 0);
        }
    }

    private static long cpuOfASecond() throws InterruptedException {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = system.getProcessCpuTime();
        Thread.sleep(1_000);
        return (system.getProcessCpuTime() - before) / 1_000_000;
    }

    private void subscribe(String label, CompletableFuture<Status> ended) {
        PullerServiceGrpc.newStub(channel)
                .subscribeBatches(
                        SubscribeRequest.newBuilder()
                                .setConsumerId(label)
                                .setEncoding(Encoding.BSON)
                                .build(),
                        new StreamObserver<EventBatch>() {
                            private boolean first = true;

                            @Override
                            public void onNext(EventBatch batch) {
                                begun.addAndGet(first ? 1 : 0);
                                first = false;
                                events.addAndGet(batch.getEventsCount());
                            }

                            @Override
                            public void onError(Throwable failure) {
                                ended.complete(Status.fromThrowable(failure));
                            }

                            @Override
                            public void onCompleted() {
                                ended.complete(Status.OK);
                            }
                        });
    }
}
