package dev.sluice.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * So many calls at a time; the next is refused before its message is read. With the size of a message it bounds what
 * strangers can make the server hold. Who does not send the whole message in time loses the place, and so, after as long
 * again, does who does not take the answer. For calls of one message and one answer, which is made before the handler
 * returns.
 */
public final class CallLimit implements ServerInterceptor, AutoCloseable {
    private final int most;
    private final Duration patience;
    private final Semaphore room;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("slow-calls").factory());

    public CallLimit(int most, Duration patience) {
        this.most = most;
        this.patience = patience;
        this.room = new Semaphore(most);
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!room.tryAcquire()) {
            Status full =
                    Status.UNAVAILABLE.withDescription("This server answers " + most + " calls at a time: try again.");
            call.close(full, new Metadata());
            return new ServerCall.Listener<>() {};
        }
        try {
            return new Timed<>(call, next.startCall(call, headers));
        } catch (RuntimeException e) {
            room.release();
            throw e;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    private final class Timed<Q> extends SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, ?> call;
        private final AtomicBoolean left = new AtomicBoolean();
        /** Decides between the message and the end of patience: only one of them answers the call. */
        private final AtomicBoolean settled = new AtomicBoolean();

        private volatile Future<?> end;

        private Timed(ServerCall<Q, ?> call, ServerCall.Listener<Q> listener) {
            super(listener);
            this.call = call;
            this.end = timer.schedule(this::tooSlow, patience.toNanos(), TimeUnit.NANOSECONDS);
        }

        private void tooSlow() {
            if (settled.compareAndSet(false, true)) {
                Status slow = Status.DEADLINE_EXCEEDED.withDescription(
                        "The request did not arrive within " + patience.toSeconds() + " seconds.");
                call.close(slow, new Metadata());
                leave();
            }
        }

        @Override
        public void onHalfClose() {
            if (settled.compareAndSet(false, true)) {
                end.cancel(false);
                super.onHalfClose();
                end = timer.schedule(this::leave, patience.toNanos(), TimeUnit.NANOSECONDS);
                if (left.get()) {
                    end.cancel(false);
                }
            }
        }

        @Override
        public void onCancel() {
            leave();
            super.onCancel();
        }

        @Override
        public void onComplete() {
            leave();
            super.onComplete();
        }

        private void leave() {
            end.cancel(false);
            if (left.compareAndSet(false, true)) {
                room.release();
            }
        }
    }
}
