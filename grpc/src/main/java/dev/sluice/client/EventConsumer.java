package dev.sluice.client;

import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.model.ProgressMarker;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Receives events and passes them to the application's code, in order, each at least once, on one thread of its own. It
 * connects again after failures, at the next address, from the marker behind the last event that was handled; the marker
 * is saved only behind handled events. A server that sends nothing for {@link ConsumerOptions#silenceLimit} counts as failed.
 *
 * <pre>{@code
 * try (EventConsumer consumer = EventConsumer.options()
 *         .address("127.0.0.1:50051")
 *         .markers(new FileMarkerStore(Path.of("orders.marker")))
 *         .start(event -> System.out.println(event.getOperationType() + " " + event.getDocumentId()))) {
 *     consumer.awaitEnd();
 * }
 * }</pre>
 */
public final class EventConsumer implements AutoCloseable {
    private static final Metadata.Key<String> OLDEST =
            Metadata.Key.of("sluice-oldest-progress", Metadata.ASCII_STRING_MARSHALLER);

    private final ConsumerOptions options;
    private final Handling handling;
    private final Backoff backoff;
    private final Thread thread;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile @Nullable Connection connection;
    private volatile String marker = "";
    private String saved = "";
    private long lastSave = System.nanoTime();

    /** Then to be connected is no success yet: who cannot handle an event would ask for it again ten times a second. */
    private boolean ownCodeFails;

    EventConsumer(ConsumerOptions options) {
        this.options = options;
        this.handling = new Handling(options, this::handledThrough);
        this.backoff = new Backoff(options.firstPause, options.longestPause, new SplittableRandom());
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("sluice-consumer-" + options.request.getConsumerId())
                .start(this::run);
    }

    public static ConsumerOptions options() {
        return new ConsumerOptions();
    }

    private void run() {
        try {
            saved = options.markers.load().orElse("");
            marker = saved.isEmpty() && options.start == ConsumerOptions.Start.OLDEST
                    ? ProgressMarker.NOWHERE.encode()
                    : saved;
            for (int attempt = 0; !isClosing(); attempt++) {
                attempt(options.addresses.get(attempt % options.addresses.size()));
            }
            save();
            ended.complete(null);
        } catch (Exception | Error fatal) {
            ended.completeExceptionally(fatal);
        }
    }

    private void attempt(String address) throws Exception {
        try (Connection fresh = new Connection(address, options)) {
            connection = fresh;
            if (!isClosing()) {
                receive(address, fresh);
            }
        } catch (StatusRuntimeException answer) {
            if (!isClosing()) {
                failed(address, answer);
            }
        } catch (ConsumerEndedException over) {
            throw over;
        } catch (Exception ownCode) {
            ownCodeFails = true;
            pause(address, ownCode);
        }
    }

    private void receive(String address, Connection from) throws Exception {
        Incoming batches =
                from.subscribe(options.request.clone().setAfter(marker).build());
        boolean first = true;
        while (!isClosing()) {
            EventBatch batch = batches.next(options.silenceLimit);
            if (first) {
                first = false;
                begin(address, batches.start());
            }
            handling.handle(batch);
        }
    }

    /**
     * A consumer that began "now" keeps the marker of that moment at once. Until then a restart, or code that fails on the
     * first event, would begin at a later "now" and miss what happened between.
     */
    private void begin(String address, @Nullable String start) throws IOException {
        if (!ownCodeFails) {
            backoff.succeeded();
        }
        if (marker.isEmpty() && start != null) {
            marker = start;
            save();
        }
        options.listener.connected(address);
    }

    private void handledThrough(String handled) throws IOException {
        if (!handled.equals(marker)) {
            ownCodeFails = false;
            backoff.succeeded();
        }
        marker = handled;
        if (saved.isEmpty() || System.nanoTime() - lastSave >= options.saveInterval.toNanos()) {
            save();
        }
    }

    private void save() throws IOException {
        String now = marker;
        lastSave = System.nanoTime();
        if (!now.equals(saved) && !now.isEmpty()) {
            options.markers.save(now);
            saved = now;
        }
    }

    private void failed(String address, StatusRuntimeException answer) throws Exception {
        Status.Code code = answer.getStatus().getCode();
        switch (code) {
            case OUT_OF_RANGE -> missed(answer);
            case INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED ->
                throw new ConsumerEndedException(
                        address + " refuses this consumer: "
                                + answer.getStatus().getDescription(),
                        answer);
            default -> pause(address, answer);
        }
    }

    private void missed(StatusRuntimeException answer) throws Exception {
        String message = String.valueOf(answer.getStatus().getDescription());
        options.listener.outOfRange(message, options.whenOutOfRange);
        switch (options.whenOutOfRange) {
            case STOP -> throw new ConsumerEndedException(message, answer);
            case FROM_OLDEST -> {
                Metadata trailers = answer.getTrailers();
                String oldest = trailers == null ? null : trailers.get(OLDEST);
                marker = oldest == null ? ProgressMarker.NOWHERE.encode() : oldest;
            }
            case FROM_NOW -> marker = "";
        }
    }

    private void pause(String address, Exception cause) throws InterruptedException {
        if (!isClosing()) {
            options.listener.disconnected(address, cause);
            backoff.pause(closing);
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** The marker behind what has been handled so far; empty before anything was received. */
    public String marker() {
        return marker;
    }

    /** Completes when the consumer has ended: normally after {@link #close}, exceptionally when it gave up. */
    public CompletionStage<@Nullable Void> ended() {
        return ended.minimalCompletionStage();
    }

    /** Waits until the consumer has ended; throws what made it give up. */
    public void awaitEnd() {
        ended.join();
    }

    /** Lets the callback in progress finish, saves the marker, and ends. Closing twice is harmless. */
    @Override
    public void close() {
        closing.countDown();
        Connection open = connection;
        if (open != null) {
            open.close();
        }
        boolean interrupted = false;
        while (thread != Thread.currentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
