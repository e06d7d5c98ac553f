package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.HeaderText;
import dev.sluice.outbox.table.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Also sends a copy of each row that is given up to a topic of its own, with the reason as a header. The table {@code
 * outbox_dead} is what counts: a copy that does not arrive is only logged.
 */
public final class DeadLetterTopic implements Sink {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterTopic.class);

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
        public OptionalLong batch() {
            return channel.batch();
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
            boolean readable = HeaderText.whyUnreadable(row.headers()).isEmpty();
            Map<String, String> headers = new HashMap<>(readable ? row.headers() : Map.of());
            headers.put("dead-id", Long.toString(row.id()));
            headers.put("dead-topic", row.topic());
            headers.put("dead-reason", reason.replaceAll("[^ -~]", "?"));
            headers.put("dead-attempts", Integer.toString(attempts));
            // Not under the row's id: who remembers the copy must remember nothing of the row, which may be requeued.
            // Under
            // one of its own: two copies, of two rows or of two deaths, are no repeats.
            return new Row(
                    Row.NONE,
                    row.partition(),
                    topic,
                    row.key(),
                    row.type(),
                    row.payload(),
                    headers,
                    row.priority(),
                    row.createdAt(),
                    "dead-" + row.id() + '-' + UUID.randomUUID());
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
