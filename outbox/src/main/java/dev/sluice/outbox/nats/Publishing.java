package dev.sluice.outbox.nats;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.table.Row;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.PublishOptions;
import io.nats.client.impl.Headers;
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

    private final String outbox;
    private final Connection connection;
    private final JetStream stream;
    private final JetStreamManagement management;

    Publishing(String outbox, Connection connection) throws IOException {
        this.outbox = outbox;
        this.connection = connection;
        this.stream = connection.jetStream();
        this.management = connection.jetStreamManagement();
    }

    CompletableFuture<SendOutcome> publish(Row row) {
        Optional<SendOutcome> refusal = refusal(row);
        if (refusal.isPresent()) {
            return CompletableFuture.completedFuture(refusal.get());
        }
        PublishOptions options =
                PublishOptions.builder().messageId(outbox + '-' + row.id()).build();
        return stream.publishAsync(row.topic(), headers(row), row.payload(), options)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .handleAsync((stored, failed) ->
                        failed == null ? CompletableFuture.completedFuture(SendOutcome.SENT) : outcome(row, failed))
                .thenCompose(outcome -> outcome);
    }

    private Optional<SendOutcome> refusal(Row row) {
        if (!SUBJECT.matcher(row.topic()).matches()) {
            return Optional.of(new SendOutcome.Refused("\"" + row.topic() + "\" is no subject of NATS"));
        }
        long most = connection.getMaxPayload();
        return most > 0 && row.payload().length > most
                ? Optional.of(new SendOutcome.Refused(
                        "the payload has " + row.payload().length + " bytes, the server takes at most " + most))
                : Optional.empty();
    }

    private static Headers headers(Row row) {
        Headers headers = new Headers();
        row.headers().forEach(headers::add);
        headers.add(KEY, row.key());
        if (!row.type().isEmpty()) {
            headers.add(TYPE, row.type());
        }
        return headers;
    }

    private CompletableFuture<SendOutcome> outcome(Row row, Throwable failed) {
        JetStreamApiException refused = find(failed, JetStreamApiException.class);
        if (refused != null && refused.getApiErrorCode() == TOO_LARGE_FOR_STREAM) {
            return CompletableFuture.completedFuture(new SendOutcome.Refused(refused.toString()));
        }
        if (isWithoutStream(row.topic())) {
            return CompletableFuture.completedFuture(
                    new SendOutcome.Failed("no stream takes the subject " + row.topic() + ": add it to one"));
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
