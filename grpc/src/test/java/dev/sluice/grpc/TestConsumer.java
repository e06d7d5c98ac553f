package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A consumer by the generated stub, over a real connection, that asks for messages only when told to. */
public final class TestConsumer implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final ManagedChannel channel;
    private final LinkedBlockingQueue<Object> received = new LinkedBlockingQueue<>();
    private final List<Event> buffered = new ArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Throwable failure;
    private volatile String lastProgress = "";
    private ClientCallStreamObserver<SubscribeRequest> call;

    private TestConsumer(int port) {
        channel = NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .build();
    }

    public static TestConsumer batches(PullerGrpcServer server, SubscribeRequest request) {
        TestConsumer consumer = new TestConsumer(server.port());
        PullerServiceGrpc.newStub(consumer.channel).subscribeBatches(request, consumer.observer(true));
        return consumer.begin(true);
    }

    public static TestConsumer single(PullerGrpcServer server, SubscribeRequest request) {
        TestConsumer consumer = new TestConsumer(server.port());
        PullerServiceGrpc.newStub(consumer.channel).subscribe(request, consumer.observer(true));
        return consumer.begin(true);
    }

    /** Subscribes and reads nothing. */
    public static TestConsumer stalled(PullerGrpcServer server, SubscribeRequest request) {
        TestConsumer consumer = new TestConsumer(server.port());
        PullerServiceGrpc.newStub(consumer.channel).subscribeBatches(request, consumer.observer(false));
        return consumer.begin(false);
    }

    private TestConsumer begin(boolean reads) {
        if (reads) {
            call.request(2);
        }
        return this;
    }

    private <A> ClientResponseObserver<SubscribeRequest, A> observer(boolean reads) {
        return new ClientResponseObserver<>() {
            @Override
            public void beforeStart(ClientCallStreamObserver<SubscribeRequest> stream) {
                call = stream;
                stream.disableAutoRequestWithInitial(0);
            }

            @Override
            public void onNext(A message) {
                received.add(message);
                begun.countDown();
                if (reads) {
                    call.request(1);
                }
            }

            @Override
            public void onError(Throwable problem) {
                failure = problem;
                begun.countDown();
                over.countDown();
            }

            @Override
            public void onCompleted() {
                over.countDown();
            }
        };
    }

    /** A consumer that did not read begins to. */
    public void read(int messages) {
        call.request(messages);
    }

    /** The stream is open: what is appended from here on is new to it. */
    public TestConsumer awaitBegin() {
        await(begun);
        return this;
    }

    /** The next so many events. */
    public List<Event> take(int count) {
        List<Event> events = new ArrayList<>();
        while (events.size() < count) {
            while (buffered.isEmpty()) {
                add(poll(PATIENCE_SECONDS * 1000));
            }
            events.add(buffered.removeFirst());
        }
        return events;
    }

    public List<String> takeIds(int count) {
        return take(count).stream().map(Event::getId).toList();
    }

    /** Nothing but progress comes for a while. */
    public void assertQuiet() {
        Object message;
        while ((message = poll(150)) != null) {
            addIfMessage(message);
        }
        assertThat(buffered).isEmpty();
    }

    private void add(Object message) {
        assertThat(message)
                .as("an event within %s s (%s)", PATIENCE_SECONDS, failure)
                .isNotNull();
        addIfMessage(message);
    }

    private void addIfMessage(Object message) {
        if (message instanceof EventBatch batch) {
            buffered.addAll(batch.getEventsList());
            lastProgress = batch.getProgress();
        } else {
            buffered.add((Event) message);
            lastProgress = ((Event) message).getProgress();
        }
    }

    private Object poll(long millis) {
        try {
            return received.poll(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
    }

    /** Waits until the marker of what arrived is another one than this. */
    public String progressOtherThan(String marker) {
        while (lastProgress.equals(marker)) {
            add(poll(PATIENCE_SECONDS * 1000));
        }
        return lastProgress;
    }

    /** When the stream is over: the events that nobody has taken. */
    public List<String> receivedIds() {
        Object message;
        while ((message = received.poll()) != null) {
            addIfMessage(message);
        }
        List<String> ids = buffered.stream().map(Event::getId).toList();
        buffered.clear();
        return ids;
    }

    public String progress() {
        return lastProgress;
    }

    /** The markers of all messages that nobody has taken, in order. */
    public List<String> untakenMarkers() {
        List<String> markers = new ArrayList<>();
        for (Object message : received) {
            if (message instanceof EventBatch batch) {
                batch.getEventsList().forEach(event -> markers.add(event.getProgress()));
                markers.add(batch.getProgress());
            } else {
                markers.add(((Event) message).getProgress());
            }
        }
        return markers;
    }

    public Status awaitStatus() {
        await(over);
        return Status.fromThrowable(failure);
    }

    public Metadata trailers() {
        return ((StatusRuntimeException) failure).getTrailers();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
