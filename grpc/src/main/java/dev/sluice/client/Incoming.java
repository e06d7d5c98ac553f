package dev.sluice.client;

import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one stream, in order. At most two wait here: the server sends the next one when one was taken. Its reader
 * is one thread.
 */
final class Incoming {
    private static final int AHEAD = 2;
    private static final Metadata.Key<String> PROGRESS =
            Metadata.Key.of("sluice-progress", Metadata.ASCII_STRING_MARSHALLER);

    private sealed interface News {
        record Message(EventBatch batch) implements News {}

        record Over(Status status, Metadata trailers) implements News {}
    }

    private final ClientCall<SubscribeRequest, EventBatch> call;
    private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
    private volatile @Nullable String start;

    private Incoming(Channel channel) {
        this.call = channel.newCall(PullerServiceGrpc.getSubscribeBatchesMethod(), CallOptions.DEFAULT);
    }

    static Incoming open(Channel channel, SubscribeRequest request) {
        Incoming opened = new Incoming(channel);
        opened.begin(request);
        return opened;
    }

    private void begin(SubscribeRequest request) {
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onHeaders(Metadata headers) {
                        start = headers.get(PROGRESS);
                    }

                    @Override
                    public void onMessage(EventBatch batch) {
                        news.add(new News.Message(batch));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        news.add(new News.Over(status, trailers));
                    }
                },
                new Metadata());
        call.sendMessage(request);
        call.halfClose();
        call.request(AHEAD);
    }

    /**
     * The next batch.
     *
     * @param silence how long the server may send nothing, not even a heartbeat
     * @throws io.grpc.StatusRuntimeException when the stream is over, however it ended, or the server is silent
     */
    EventBatch next(Duration silence) throws InterruptedException {
        News next = news.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
        if (next instanceof News.Message message) {
            call.request(1);
            return message.batch();
        }
        if (next instanceof News.Over over) {
            throw over.status().isOk()
                    ? Status.UNAVAILABLE
                            .withDescription("the server completed the stream, which has no end")
                            .asRuntimeException()
                    : over.status().asRuntimeException(over.trailers());
        }
        throw Status.UNAVAILABLE
                .withDescription("the server sent nothing, not even a heartbeat, for " + silence.toMillis() + " ms")
                .asRuntimeException();
    }

    /** After the first batch: the marker that the stream started after; null when the server did not say. */
    @Nullable
    String start() {
        return start;
    }
}
