package dev.sluice.outbox.nats;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the rows of different keys at once and those of one key one after the other: a stream stores what it gets, so a
 * row must not be on its way while one before it may still fail.
 */
final class JetStreamSink implements Sink {
    private static final Pattern USER_INFO = Pattern.compile("//[^/\\s,\\]]*@");

    private static final Duration PROBE = Duration.ofSeconds(2);

    private final Options options;
    private @Nullable Connection connection;
    private boolean closed;

    JetStreamSink(Options options) {
        this.options = options;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        return new PublishingChannel(opening.identity(), connection());
    }

    private synchronized Connection connection() throws SinkUnavailableException, InterruptedException {
        try {
            if (closed) {
                throw new IOException("it was closed");
            }
            if (connection == null || connection.getStatus() == Connection.Status.CLOSED) {
                connection = Nats.connect(options);
            }
            return connection;
        } catch (IOException away) {
            throw unavailable(away);
        }
    }

    /** There and back again. */
    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        try {
            connection().flush(PROBE);
        } catch (TimeoutException | IllegalStateException away) {
            throw unavailable(away);
        }
    }

    @Override
    public void close() {
        Connection last;
        synchronized (this) {
            closed = true;
            last = connection;
        }
        if (last != null) {
            try {
                last.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static SinkUnavailableException unavailable(@Nullable Throwable cause) {
        // Not as its cause: the client names its servers as they were given, with user and password.
        String said = USER_INFO.matcher(String.valueOf(cause)).replaceAll("//***@");
        return new SinkUnavailableException("NATS did not take the rows: " + said, false, null);
    }

    /** Rows of which nobody knows are held, and what stands behind them: what is known of the others stays known. */
    static List<SendOutcome> known(List<CompletableFuture<SendOutcome>> all) throws SinkUnavailableException {
        List<SendOutcome> outcomes = new ArrayList<>(all.size());
        Throwable unknown = null;
        for (CompletableFuture<SendOutcome> each : all) {
            if (each.isCompletedExceptionally()) {
                unknown = each.exceptionNow();
                outcomes.add(new SendOutcome.Held());
            } else {
                outcomes.add(each.resultNow());
            }
        }
        if (unknown != null && outcomes.stream().allMatch(SendOutcome.Held.class::isInstance)) {
            throw unavailable(unknown);
        }
        return outcomes;
    }

    private static final class PublishingChannel implements Channel {
        private static final CompletableFuture<SendOutcome> FIRST = CompletableFuture.completedFuture(SendOutcome.SENT);

        private final Publishing publishing;
        private final CompletableFuture<SendOutcome> givenUp = new CompletableFuture<>();

        PublishingChannel(String identity, Connection connection) throws SinkUnavailableException {
            try {
                this.publishing = new Publishing(identity, connection);
            } catch (IOException away) {
                throw unavailable(away);
            }
        }

        @Override
        public List<Long> alreadySent() {
            return List.of();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
            Map<String, CompletableFuture<SendOutcome>> lastOfKey = new HashMap<>();
            Map<String, SendOutcome> blocked = new ConcurrentHashMap<>();
            List<CompletableFuture<SendOutcome>> all = new ArrayList<>(rows.size());
            for (Row row : rows) {
                CompletableFuture<SendOutcome> outcome = lastOfKey
                        .getOrDefault(row.key(), FIRST)
                        .thenCompose(last -> last instanceof SendOutcome.Sent || last instanceof SendOutcome.Blocked
                                ? publish(row, blocked)
                                : CompletableFuture.completedFuture(new SendOutcome.Held()));
                lastOfKey.put(row.key(), outcome);
                all.add(outcome);
            }
            return await(all);
        }

        /** Behind a row of its key, and maybe of its topic, that was not taken because of the topic, none is sent there. */
        private CompletableFuture<SendOutcome> publish(Row row, Map<String, SendOutcome> blocked) {
            SendOutcome takesNothing = blocked.get(row.topic());
            if (takesNothing != null) {
                return CompletableFuture.completedFuture(takesNothing);
            }
            return publishing.publish(row).thenApply(outcome -> {
                if (outcome instanceof SendOutcome.Blocked) {
                    blocked.put(row.topic(), outcome);
                }
                return outcome;
            });
        }

        private List<SendOutcome> await(List<CompletableFuture<SendOutcome>> all)
                throws SinkUnavailableException, InterruptedException {
            CompletableFuture<Void> everything = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
            try {
                CompletableFuture.anyOf(everything.exceptionally(unknown -> null), givenUp)
                        .get();
            } catch (ExecutionException over) {
                throw unavailable(over.getCause());
            }
            return known(all);
        }

        @Override
        public void removed() {
            // Nothing waits for it.
        }

        @Override
        public void close() {
            givenUp.completeExceptionally(new IOException("the partition was given up"));
        }
    }
}
