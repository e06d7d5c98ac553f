package dev.sluice.mongodb;

import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the driver's blocking calls, each on a virtual thread, and waits for their replies: a reply may take as long as the
 * server works on it, so there is no socket timeout. A call is given up when the monitors cannot reach its server for
 * {@code timeout}, when the reply takes longer than {@link ReplyPatience} allows, or after {@link #stop}. Giving up interrupts
 * the virtual thread, which closes the call's socket. Several threads may call at the same time.
 */
final class DriverCalls {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** What a reply may take beyond the server's own waiting time before a shutdown gives it up. */
    private static final Duration GRACE_AT_STOP = Duration.ofMillis(500);

    private final ServerWatch servers;
    private final ReplyPatience ofCommands;
    private final Duration maxAwait;
    private final Duration timeout;
    private final Set<Call<?>> running = ConcurrentHashMap.newKeySet();
    private volatile Consumer<String> listener = cause -> {};
    private volatile boolean stopping;

    /** @param ofCommands how long all that is no change stream may take */
    DriverCalls(ServerWatch servers, ReplyPatience ofCommands, Duration maxAwait, Duration timeout) {
        this.servers = servers;
        this.ofCommands = ofCommands;
        this.maxAwait = maxAwait;
        this.timeout = timeout;
    }

    void onUnreachable(Consumer<String> told) {
        listener = told;
    }

    void stop() {
        stopping = true;
    }

    /**
     * The age of the oldest call, beyond the time for which a server that can be reached waits itself for a change; zero when
     * there is none.
     */
    Duration waiting() {
        long now = System.nanoTime();
        long longest =
                running.stream().mapToLong(call -> call.waiting(now)).max().orElse(0);
        return Duration.ofNanos(Math.max(0, longest));
    }

    /**
     * The reply of one command.
     *
     * @throws SourceException when it was given up, or no server could be selected
     * @throws RuntimeException what the driver threw otherwise
     */
    <T> T reply(Supplier<T> command) throws SourceException {
        return run(command, ofCommands, null);
    }

    /** The same for a command of a change stream, with a patience of its own: a quick stream says nothing about a slow one. */
    <T> T streamReply(ReplyPatience patience, Supplier<T> command) throws SourceException {
        try {
            T reply = run(command, patience, null);
            patience.answered();
            ofCommands.answered();
            return reply;
        } catch (MongoSocketReadTimeoutException tooLong) {
            // The connection string sets socketTimeoutMS.
            patience.timedOut();
            throw tooLong;
        }
    }

    /** For a command whose reply nobody needs: waits for it no longer than this, and ignores its failure. */
    void attempt(Runnable command, Duration limit) {
        try {
            run(
                    () -> {
                        command.run();
                        return true;
                    },
                    ofCommands,
                    limit);
        } catch (SourceException | RuntimeException ignored) {
            // As said.
        }
    }

    private <T> T run(Supplier<T> command, ReplyPatience patience, @Nullable Duration limit) throws SourceException {
        Call<T> call = new Call<>(command, servers.primary(), patience, limit);
        running.add(call);
        try {
            return call.await();
        } finally {
            running.remove(call);
        }
    }

    private final class Call<T> {
        private final FutureTask<T> task;
        private final @Nullable ServerAddress server;
        private final ReplyPatience patience;
        private final @Nullable Duration limit;
        private final long start = System.nanoTime();
        private long troubleSince;
        private volatile @Nullable SourceFailure trouble;

        Call(Supplier<T> command, @Nullable ServerAddress server, ReplyPatience patience, @Nullable Duration limit) {
            this.task = new FutureTask<>(command::get);
            this.server = server;
            this.patience = patience;
            this.limit = limit;
        }

        long waiting(long now) {
            return now - start - (trouble == null ? maxAwait.toNanos() : 0);
        }

        T await() throws SourceException {
            Thread.ofVirtual().name("mongodb-call").start(task);
            while (true) {
                try {
                    return task.get(LOOK_NANOS, TimeUnit.NANOSECONDS);
                } catch (TimeoutException notYet) {
                    giveUpIfDue(System.nanoTime());
                } catch (ExecutionException failed) {
                    throw unwrapped(failed.getCause());
                } catch (InterruptedException stopped) {
                    task.cancel(true);
                    Thread.currentThread().interrupt();
                    throw new SourceException(new SourceFailure.Stopped("interrupted"), stopped);
                }
            }
        }

        private void giveUpIfDue(long now) throws SourceException {
            SourceFailure failure = failure(now);
            if (failure != null) {
                task.cancel(true);
                throw new SourceException(failure);
            }
        }

        private @Nullable SourceFailure failure(long now) {
            long elapsed = now - start;
            if (stopping && elapsed > maxAwait.plus(GRACE_AT_STOP).toNanos()) {
                return new SourceFailure.Stopped("no reply before the stop");
            }
            if (limit != null) {
                return elapsed > limit.toNanos() ? new SourceFailure.Retryable("no reply within " + limit) : null;
            }
            if (isUnreachable(now)) {
                return trouble;
            }
            Duration longest = patience.limit();
            if (elapsed <= longest.toNanos()) {
                return null;
            }
            patience.timedOut();
            return new SourceFailure.Retryable("no reply for " + longest.toSeconds()
                    + " s from a server that is alive: the next attempt waits longer and asks for fewer events");
        }

        /** Whether its server has been out of reach for the whole timeout. The first sign of it is reported at once. */
        private boolean isUnreachable(long now) {
            SourceFailure found = servers.trouble(server);
            if (found == null) {
                trouble = null;
                return false;
            }
            boolean first = trouble == null;
            trouble = found;
            if (first) {
                troubleSince = now;
                listener.accept(found.detail());
            }
            return now - troubleSince > timeout.toNanos();
        }
    }

    private SourceException unwrapped(@Nullable Throwable failed) {
        if (failed instanceof MongoTimeoutException selection) {
            return new SourceException(servers.unselectable(), selection);
        }
        if (failed instanceof RuntimeException error) {
            throw error;
        }
        if (failed instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException("a call of the driver failed", failed);
    }
}
