package dev.sluice.worker.stream;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of a NATS server (2.10 or newer) over the application's connection, which {@link #close} leaves open. When the
 * connection was lost and is back, all pulls are broken: what was under way is lost. While there is no connection, calls fail
 * at once and nothing is kept to be sent later.
 */
public final class NatsMessageStream implements MessageStream {
    private static final Logger LOG = LoggerFactory.getLogger(NatsMessageStream.class);
    private static final int NO_MESSAGE = 10037;

    private final Connection connection;
    private final String stream;
    private final JetStreamApi api;
    private final JetStreamConsumers consumers;
    private final List<Runnable> whenBack = new CopyOnWriteArrayList<>();
    private final ConnectionListener events = this::event;
    private final ScheduledFuture<?> checks;

    /** @param timeout after which a call gives up */
    public NatsMessageStream(Connection connection, String stream, Duration timeout) {
        this(connection, stream, timeout, PullTimes.DEFAULT);
    }

    NatsMessageStream(Connection connection, String stream, Duration timeout, PullTimes times) {
        this.connection = connection;
        this.stream = stream;
        this.api = new JetStreamApi(connection, timeout);
        this.consumers = new JetStreamConsumers(connection, api, stream, times);
        connection.addConnectionListener(events);
        long each = times.heartbeat().toNanos() / 2;
        this.checks = connection
                .getOptions()
                .getScheduledExecutor()
                .scheduleWithFixedDelay(this::check, each, each, TimeUnit.NANOSECONDS);
    }

    @Override
    public StreamState state() {
        return StreamJson.state(api.request("STREAM.INFO." + stream, ""));
    }

    @Override
    public Map<String, Long> subjects(String filter) {
        Map<String, Long> subjects = new HashMap<>();
        int offset = 0;
        while (true) {
            JsonValue page = api.request(
                    "STREAM.INFO." + stream,
                    JsonValueUtils.mapBuilder()
                            .put("subjects_filter", filter)
                            .put("offset", offset)
                            .toJson());
            JsonValue counts = JsonValueUtils.readObject(JsonValueUtils.readObject(page, "state"), "subjects");
            Map<String, JsonValue> found = counts.map == null ? Map.of() : counts.map;
            found.forEach((subject, count) -> subjects.put(subject, JsonValueUtils.getLong(count, 0)));
            offset += found.size();
            boolean last = found.isEmpty() || offset >= JsonValueUtils.readInteger(page, "total", 0);
            if (last || subjects.size() > MAX_SUBJECTS_COLLECTED) {
                return subjects;
            }
        }
    }

    /** Never a direct get: a replica that lags may answer that. */
    @Override
    public OptionalLong lastOf(String filter) {
        String body = JsonValueUtils.mapBuilder().put("last_by_subj", filter).toJson();
        try {
            JsonValue message = JsonValueUtils.readObject(api.request("STREAM.MSG.GET." + stream, body), "message");
            return OptionalLong.of(JsonValueUtils.readLong(message, "seq", 0));
        } catch (StreamRefusedException refused) {
            if (refused.code() == NO_MESSAGE) {
                return OptionalLong.empty();
            }
            throw refused;
        }
    }

    @Override
    public Consumers consumers() {
        return consumers;
    }

    @Override
    public void whenBack(Runnable listener) {
        whenBack.add(listener);
    }

    private void event(Connection from, ConnectionListener.Events event) {
        switch (event) {
            case RESUBSCRIBED -> {
                consumers.breakPulls("the connection was lost");
                whenBack.forEach(NatsMessageStream::run);
            }
            case CLOSED -> consumers.breakPulls("the connection is closed");
            default -> {}
        }
    }

    /** A schedule ends with the first exception: none leaves this. */
    private void check() {
        run(consumers::check);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable failed) {
            LOG.error("a listener of the connection failed", failed);
        }
    }

    @Override
    public void close() {
        checks.cancel(false);
        connection.removeConnectionListener(events);
        consumers.close();
    }
}
