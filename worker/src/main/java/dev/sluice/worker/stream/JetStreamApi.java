package dev.sluice.worker.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.support.JsonParseException;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests to JetStream and their JSON answers. Raw requests instead of jnats' management API: jnats may read from a replica
 * that lags, and hides the difference between an error and no answer.
 */
public final class JetStreamApi {
    private static final String PREFIX = "$JS.API.";
    private static final int SERVICE_UNAVAILABLE = 503;

    /** No peers, not active, not assigned, not the leader; stream or consumer offline: they pass, but are not 503. */
    private static final Set<Integer> PASSING = Set.of(10005, 10006, 10007, 10009, 10118, 10119);

    private final Connection connection;
    private final Duration timeout;

    public JetStreamApi(Connection connection, Duration timeout) {
        this.connection = connection;
        this.timeout = timeout;
    }

    /**
     * @param call the subject below {@code $JS.API.}
     * @throws StreamUnavailableException without an answer, or when the answer is that nobody can answer now
     * @throws StreamRefusedException when the answer is any other error
     */
    public JsonValue request(String call, String body) {
        JsonValue answer = parsed(call, answer(call, body));
        JsonValue error = JsonValueUtils.readObject(answer, "error");
        if (error.map == null || error.map.isEmpty()) {
            return answer;
        }
        int code = JsonValueUtils.readInteger(error, "err_code", 0);
        String description = JsonValueUtils.readString(error, "description", "no description") + " (" + code + ")";
        if (JsonValueUtils.readInteger(error, "code", 0) == SERVICE_UNAVAILABLE || PASSING.contains(code)) {
            throw unavailable(call, description, null);
        }
        throw new StreamRefusedException(code, "JetStream refuses " + call + ": " + description);
    }

    private Message answer(String call, String body) {
        // A request that jnats keeps for the next connection would change something minutes later.
        if (connection.getStatus() != Connection.Status.CONNECTED) {
            throw unavailable(call, "the connection is " + connection.getStatus(), null);
        }
        CompletableFuture<Message> answer = null;
        try {
            answer = connection.requestWithTimeout(PREFIX + call, body.getBytes(UTF_8), timeout);
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw unavailable(call, "no answer within " + timeout.toMillis() + " ms", late);
        } catch (ExecutionException failed) {
            throw unavailable(call, String.valueOf(failed.getCause()), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unavailable(call, "interrupted", interrupted);
        } catch (RuntimeException failed) {
            // jnats cancels requests without responders and those of a connection that is lost.
            throw unavailable(call, failed + ": no JetStream, or the connection is lost", failed);
        } finally {
            if (answer != null) {
                answer.cancel(true);
            }
        }
    }

    private static JsonValue parsed(String call, Message answer) {
        if (answer.isStatusMessage()) {
            throw unavailable(call, answer.getStatus().getMessageWithCode(), null);
        }
        try {
            return JsonParser.parse(answer.getData());
        } catch (JsonParseException unreadable) {
            throw unavailable(call, "unreadable answer", unreadable);
        }
    }

    private static StreamUnavailableException unavailable(String call, String reason, @Nullable Throwable cause) {
        return new StreamUnavailableException("JetStream does not answer " + call + ": " + reason, cause);
    }
}
