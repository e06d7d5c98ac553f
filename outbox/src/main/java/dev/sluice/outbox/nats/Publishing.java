package dev.sluice.outbox.nats;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.table.Row;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.impl.Headers;
import io.nats.client.support.NatsJetStreamConstants;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One row as one message, and what its answer means. A future that fails says that nobody knows. */
final class Publishing {
    static final String KEY = "outbox-key";
    private static final String TYPE = "type";
    private static final Pattern SUBJECT = Pattern.compile("[^\\s.*>]+(\\.[^\\s.*>]+)*");
    private static final int TOO_LARGE_FOR_STREAM = 10_054;
    private static final long PATIENCE_SECONDS = 10;

    private final String identity;
    private final Connection connection;
    private final JetStream stream;
    private final JetStreamManagement management;

    /** @param identity of the outbox: row ids mean something only together with it */
    Publishing(String identity, Connection connection) throws IOException {
        this.identity = identity;
        this.connection = connection;
        this.stream = connection.jetStream();
        this.management = connection.jetStreamManagement();
    }

    CompletableFuture<SendOutcome> publish(Row row) {
        if (!SUBJECT.matcher(row.topic()).matches()) {
            return refused("\"" + row.topic() + "\" is no subject of NATS");
        }
        Optional<String> wrongName = HeaderEncoding.wrongName(row.headers().keySet());
        if (wrongName.isPresent()) {
            return refused("\"" + wrongName.get() + "\" is no name of a header of NATS");
        }
        Headers headers = headers(row);
        long size = headers.serializedLength() + (long) row.payload().length;
        long most = connection.getMaxPayload();
        if (most > 0 && size > most) {
            return refused("payload and headers have " + size + " bytes, the server takes at most " + most);
        }
        try {
            return publish(row, headers);
        } catch (IllegalStateException away) {
            return CompletableFuture.failedFuture(away);
        }
    }

    private CompletableFuture<SendOutcome> publish(Row row, Headers headers) {
        return stream.publishAsync(row.topic(), headers, row.payload())
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .handle((stored, failed) -> failed == null
                        ? CompletableFuture.completedFuture(SendOutcome.SENT)
                        : outcomeOnAThread(row, failed))
                .thenCompose(outcome -> outcome);
    }

    /**
     * The outcome of a failure may ask the server, so it must not be found on the connection's thread; and not in the common
     * pool, which the application may block.
     */
    private CompletableFuture<SendOutcome> outcomeOnAThread(Row row, Throwable failed) {
        return CompletableFuture.supplyAsync(
                        () -> outcome(row, failed),
                        decision -> Thread.ofVirtual().name("outbox-outcome").start(decision))
                .thenCompose(outcome -> outcome);
    }

    private static CompletableFuture<SendOutcome> refused(String reason) {
        return CompletableFuture.completedFuture(new SendOutcome.Refused(reason));
    }

    private Headers headers(Row row) {
        Headers headers = new Headers();
        row.headers().forEach((name, value) -> headers.add(name, HeaderEncoding.encoded(value)));
        headers.put(KEY, HeaderEncoding.encoded(row.key()));
        if (!row.type().isEmpty()) {
            headers.put(TYPE, HeaderEncoding.encoded(row.type()));
        }
        headers.put(NatsJetStreamConstants.MSG_ID_HDR, identity + '-' + row.publishedId());
        return headers;
    }

    private CompletableFuture<SendOutcome> outcome(Row row, Throwable failed) {
        JetStreamApiException refused = find(failed, JetStreamApiException.class);
        if (refused != null && refused.getApiErrorCode() == TOO_LARGE_FOR_STREAM) {
            return CompletableFuture.completedFuture(new SendOutcome.Refused(refused.toString()));
        }
        if (isWithoutStream(row.topic())) {
            return CompletableFuture.completedFuture(
                    new SendOutcome.Blocked("no stream takes the subject " + row.topic() + ": add it to one"));
        }
        return CompletableFuture.failedFuture(failed);
    }

    /** Nobody answers also while a stream has no leader: only the servers' word counts. */
    private boolean isWithoutStream(String subject) {
        try {
            List<String> names = management.getStreamNames(subject);
            return names.isEmpty();
        } catch (IOException | JetStreamApiException | IllegalStateException away) {
            return false;
        }
    }

    private static <T extends Throwable> @Nullable T find(Throwable failed, Class<T> type) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
