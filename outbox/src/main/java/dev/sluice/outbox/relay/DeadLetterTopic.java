package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Also sends a copy of each row that is given up to a topic of its own, with the reason as a header. The table {@code
 * outbox_dead} is what counts: a copy that does not arrive is only logged.
 */
public final class DeadLetterTopic implements Sink {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterTopic.class);
    /** No row has it: what remembers the copy as sent remembers nothing of the row, which may be requeued. */
    private static final long NO_ROW = 0;

    private final Sink sink;
    private final String topic;

    public DeadLetterTopic(Sink sink, String topic) {
        this.sink = sink;
        this.topic = topic;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        return new Copying(sink.open(opening));
    }

    @Override
    public boolean remembers() {
        return sink.remembers();
    }

    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        sink.probe();
    }

    @Override
    public void close() {
        sink.close();
    }

    private final class Copying implements Channel {
        private final Channel channel;

        Copying(Channel channel) {
            this.channel = channel;
        }

        @Override
        public List<Long> alreadySent() {
            return channel.alreadySent();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
            return channel.send(rows);
        }

        @Override
        public void removed() {
            channel.removed();
        }

        @Override
        public void buried(Row row, String reason, int attempts) throws InterruptedException {
            try {
                SendOutcome outcome =
                        channel.send(List.of(copy(row, reason, attempts))).getFirst();
                channel.removed();
                if (!(outcome instanceof SendOutcome.Sent)) {
                    LOG.warn("row {} is in outbox_dead, but not in topic {}: {}", row.id(), topic, outcome);
                }
            } catch (SinkUnavailableException away) {
                LOG.warn("row {} is in outbox_dead, but not in topic {}: {}", row.id(), topic, away.getMessage());
            }
        }

        private Row copy(Row row, String reason, int attempts) {
            Map<String, String> headers = new HashMap<>(row.headers());
            headers.put("dead-id", Long.toString(row.id()));
            headers.put("dead-topic", row.topic());
            headers.put("dead-reason", reason.replaceAll("[^ -~]", "?"));
            headers.put("dead-attempts", Integer.toString(attempts));
            return new Row(
                    NO_ROW,
                    row.partition(),
                    topic,
                    row.key(),
                    row.type(),
                    row.payload(),
                    headers,
                    row.priority(),
                    row.createdAt());
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
