package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedOutOfRangeException;
import dev.sluice.route.FeedUnavailableException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One partition's stream from one Puller. As many messages as were asked for wait here, no more. */
final class GrpcReader implements EventFeed.Reader {
    private static final int AT_HAND = 2;

    /** To connect and be told where the stream begins. */
    private static final Duration TO_BEGIN = Duration.ofSeconds(10);

    /** What the connection has to say, in order. */
    private sealed interface News {
        record Message(EventBatch batch) implements News {}

        record Over(Status status, Metadata trailers) implements News {}
    }

    private final String address;
    private final ManagedChannel channel;
    private final SubscribeRequest request;
    private final long silence;
    private final Runnable failed;
    private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
    private final ReceivedEvents received = new ReceivedEvents();
    private @Nullable ClientCall<SubscribeRequest, EventBatch> call;
    private long lastNews;
    private boolean closed;

    GrpcReader(String address, ManagedChannel channel, SubscribeRequest request, Duration silence, Runnable failed) {
        this.address = address;
        this.channel = channel;
        this.request = request;
        this.silence = silence.toNanos();
        this.failed = failed;
    }

    @Override
    public EventFeed.Batch read(int maxEvents, Duration wait) {
        if (closed) {
            throw new FeedUnavailableException("this reader is closed: open another");
        }
        if (call == null) {
            call = begin();
        }
        long deadline = System.nanoTime() + wait.toNanos();
        while (!received.hasSomethingToTell() && awaitNews(deadline)) {}
        return received.take(maxEvents);
    }

    private ClientCall<SubscribeRequest, EventBatch> begin() {
        ClientCall<SubscribeRequest, EventBatch> begun =
                channel.newCall(PullerServiceGrpc.getSubscribeBatchesMethod(), CallOptions.DEFAULT);
        begun.start(
                new ClientCall.Listener<>() {
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
        begun.sendMessage(request);
        begun.halfClose();
        begun.request(AT_HAND);
        lastNews = System.nanoTime();
        return begun;
    }

    /** False when there was none for so long. Nothing can be said before the Puller told where the stream begins. */
    private boolean awaitNews(long deadline) {
        boolean begun = received.hasMarker();
        long patient = begun ? silence : Math.min(silence, TO_BEGIN.toNanos());
        long now = System.nanoTime();
        long patience = lastNews + patient - now;
        long left = begun ? Math.min(deadline - now, patience) : patience;
        try {
            News next = news.poll(left, TimeUnit.NANOSECONDS);
            if (next == null && left == patience) {
                throw unavailable(
                        "has been silent for " + Duration.ofNanos(patient).toMillis() + " ms", null);
            }
            return next != null && take(next);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            if (!begun) {
                throw unavailable("was not waited for", stop);
            }
            return false;
        }
    }

    private boolean take(News next) {
        lastNews = System.nanoTime();
        switch (next) {
            case News.Message message -> {
                add(message.batch());
                if (call != null) {
                    call.request(1);
                }
            }
            case News.Over over -> throw ended(over.status(), over.trailers());
        }
        return true;
    }

    private void add(EventBatch batch) {
        try {
            received.add(batch);
        } catch (InvalidInputException unreadable) {
            throw unavailable("sent what this version cannot read: " + unreadable.getMessage(), unreadable);
        }
    }

    private RuntimeException ended(Status status, Metadata trailers) {
        String reason = String.valueOf(status.getDescription());
        if (status.getCode() == Status.Code.OUT_OF_RANGE) {
            try {
                ProgressMarker oldest = ProgressMarker.decode(oldest(reason, trailers));
                close();
                return new FeedOutOfRangeException(reason, oldest);
            } catch (InvalidInputException unreadable) {
                return unavailable("names an oldest marker that cannot be read", unreadable);
            }
        }
        return unavailable("ended the stream (" + status.getCode() + "): " + reason, status.getCause());
    }

    /** Markers of very many backends are in the message alone, at its end. */
    private static String oldest(String reason, Metadata trailers) {
        String header = trailers.get(ProgressHeaders.OLDEST_PROGRESS);
        return header != null ? header : reason.substring(reason.lastIndexOf(' ') + 1);
    }

    private FeedUnavailableException unavailable(String what, @Nullable Throwable cause) {
        failed.run();
        close();
        String message = "the Puller at " + address + " " + what;
        return cause == null ? new FeedUnavailableException(message) : new FeedUnavailableException(message, cause);
    }

    @Override
    public void close() {
        closed = true;
        channel.shutdownNow();
    }
}
