package dev.sluice.etcd;

import dev.sluice.coordinate.StoreUnavailableException;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Calls to etcd that end in bounded time. gRPC waits up to two minutes between attempts to connect, and stays with a server
 * that accepts and never answers; so while nothing succeeds a new client is made every few seconds, which begins with the next
 * endpoint. Watches of the old one end and are made again by who wants them.
 */
final class EtcdConnection implements AutoCloseable {
    private static final Duration NEW_CLIENT_AFTER = Duration.ofSeconds(2);
    private static final String WATCH = "etcdserverpb.Watch/Watch";
    private static final int LARGEST_ANSWER = 256 << 20;

    private final EtcdAccess access;
    private final Duration timeout;
    private final List<String> endpoints;
    private volatile Client client;
    private volatile long lastSuccess = System.nanoTime();
    private boolean closed;

    EtcdConnection(EtcdAccess access, Duration timeout) {
        this.access = access;
        this.timeout = timeout;
        this.endpoints = new ArrayList<>(access.endpoints());
        this.client = connect(List.copyOf(endpoints));
    }

    private Client connect(List<String> inOrder) {
        return access.client(inOrder)
                .connectTimeout(timeout)
                .waitForReady(false)
                // For a login that has expired; whoever calls us tries again by itself.
                .retryMaxAttempts(1)
                .retryDelay(20)
                .retryMaxDelay(100)
                .maxInboundMessageSize(LARGEST_ANSWER)
                .keepaliveTime(Duration.ofSeconds(10))
                .keepaliveTimeout(Duration.ofSeconds(5))
                .interceptor(new Deadlines(timeout))
                .build();
    }

    Client client() {
        return client;
    }

    /** @throws StoreUnavailableException when there is no answer in time, or one that does not help */
    <T> T call(String what, Function<Client, CompletableFuture<T>> call) {
        try {
            return orFail(call);
        } catch (ExecutionException failed) {
            throw unavailable(what, failed.getCause() == null ? failed : failed.getCause());
        }
    }

    /** @throws ExecutionException with what etcd answered, or why it did not */
    <T> T orFail(Function<Client, CompletableFuture<T>> call) throws ExecutionException {
        Client used = client;
        try {
            T answer = call.apply(used).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            lastSuccess = System.nanoTime();
            return answer;
        } catch (ExecutionException failed) {
            if (isGone(failed)) {
                lastSuccess = System.nanoTime();
            } else {
                replaceIfHopeless(used);
            }
            throw failed;
        } catch (TimeoutException late) {
            replaceIfHopeless(used);
            throw new ExecutionException("no answer after " + timeout.toMillis() + " ms", late);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new ExecutionException("interrupted", stopped);
        } catch (RuntimeException closedMeanwhile) {
            throw new ExecutionException(closedMeanwhile);
        }
    }

    /** Whether etcd answered that there is no such lease. */
    static boolean isGone(ExecutionException failed) {
        return failed.getCause() instanceof EtcdException answer && answer.getErrorCode() == ErrorCode.NOT_FOUND;
    }

    StoreUnavailableException unavailable(String what, Throwable cause) {
        return new StoreUnavailableException(
                "Cannot " + what + " in etcd at " + access + ": see that it runs, has a leader and lets us in ("
                        + cause.getMessage() + ").",
                cause);
    }

    /** Makes a new client in this one's place, unless something succeeded lately. */
    synchronized void replaceIfHopeless(Client failed) {
        boolean hopeless = System.nanoTime() - lastSuccess > NEW_CLIENT_AFTER.toNanos();
        if (closed || failed != client || !hopeless) {
            return;
        }
        Collections.rotate(endpoints, -1);
        client = connect(List.copyOf(endpoints));
        lastSuccess = System.nanoTime();
        failed.close();
    }

    @Override
    public synchronized void close() {
        closed = true;
        client.close();
    }

    /** Without one, a call that nobody waits for any more would stay and be made when etcd is back. Watches have none. */
    private record Deadlines(Duration timeout) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            boolean endless = method.getFullMethodName().equals(WATCH);
            return next.newCall(
                    method, endless ? options : options.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS));
        }
    }
}
