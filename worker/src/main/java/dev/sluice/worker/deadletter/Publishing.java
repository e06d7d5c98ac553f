package dev.sluice.worker.deadletter;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import io.nats.client.support.JsonParseException;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one message into JetStream and waits for the answer of the stream. jnats' own publish turns refusals and missing
 * answers into the same exceptions.
 */
record Publishing(Connection connection, Duration timeout) {
    /** The answer to a published message. */
    sealed interface Answer {
        record Stored(long sequence, boolean duplicate) implements Answer {}

        /** The stream has not stored the message. */
        record Refused(int code, String reason) implements Answer {}

        /** It is not known whether the message is stored. */
        record Unknown(String reason) implements Answer {}
    }

    Answer publish(String subject, Headers headers, byte[] body) {
        // jnats would keep it for the next connection, minutes later.
        if (connection.getStatus() != Connection.Status.CONNECTED) {
            return new Answer.Unknown("the connection to NATS is " + connection.getStatus());
        }
        CompletableFuture<Message> reply = null;
        try {
            reply = connection.requestWithTimeout(subject, headers, body, timeout);
            return answer(subject, reply.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException late) {
            return new Answer.Unknown("no acknowledgement within " + timeout.toMillis() + " ms");
        } catch (ExecutionException | RuntimeException | JsonParseException failed) {
            return new Answer.Unknown(
                    "no stream takes the subject " + subject + ", or the connection is lost (" + reason(failed) + ")");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Answer.Unknown("interrupted while waiting for the acknowledgement");
        } finally {
            if (reply != null) {
                reply.cancel(true);
            }
        }
    }

    private static Answer answer(String subject, Message reply) throws JsonParseException {
        if (reply.isStatusMessage()) {
            return new Answer.Unknown("no stream takes the subject " + subject + " ("
                    + reply.getStatus().getMessageWithCode() + ")");
        }
        JsonValue said = JsonParser.parse(reply.getData());
        JsonValue error = JsonValueUtils.readObject(said, "error");
        if (error.map != null && !error.map.isEmpty()) {
            int code = JsonValueUtils.readInteger(error, "err_code", 0);
            return new Answer.Refused(
                    code, JsonValueUtils.readString(error, "description", "no reason given") + " (" + code + ")");
        }
        long sequence = JsonValueUtils.readLong(said, "seq", 0);
        return sequence < 1
                ? new Answer.Unknown("the answer is no acknowledgement of a stream: see who else answers " + subject)
                : new Answer.Stored(sequence, JsonValueUtils.readBoolean(said, "duplicate", false));
    }

    private static @Nullable String reason(Throwable failed) {
        Throwable cause =
                failed instanceof ExecutionException && failed.getCause() != null ? failed.getCause() : failed;
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
