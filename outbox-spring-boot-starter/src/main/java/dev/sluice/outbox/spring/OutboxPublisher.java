package dev.sluice.outbox.spring;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Writes messages in the current {@code @Transactional}: the relay sends them if and only if it commits, soon after it does.
 * Refuses a message that no transaction of the outbox's DataSource would commit, since it would be sent although the change
 * was rolled back, or be lost. The current trace goes along as a header.
 */
public final class OutboxPublisher {
    private final Outbox outbox;
    private final DataSource source;
    private final CurrentTransaction transaction;
    private final EventJson json;
    private final TraceHeaders trace;

    /** Without a {@link CommitWatch} a message published in {@code afterCommit} is only reported in the log. */
    public OutboxPublisher(Outbox outbox, DataSource source, EventJson json, TraceHeaders trace) {
        this(outbox, source, new CommitWatch(), json, trace);
    }

    OutboxPublisher(Outbox outbox, DataSource source, CommitWatch commits, EventJson json, TraceHeaders trace) {
        this.outbox = outbox;
        this.source = source;
        this.transaction = new CurrentTransaction(source, commits);
        this.json = json;
        this.trace = trace;
    }

    /** Sends any object as JSON; its type is the name of its class. */
    public void publish(String topic, String key, Object event) {
        publish(json(topic, key, event.getClass().getSimpleName(), event, 0));
    }

    public void publish(OutboxMessage message) {
        publish(List.of(message));
    }

    /** Writes messages in this order, in one batch. */
    public void publish(Collection<OutboxMessage> messages) {
        transaction.require(CommitHint.isCommitted(outbox));
        Map<String, String> traced = trace.current();
        List<OutboxMessage> all =
                messages.stream().map(message -> with(traced, message)).toList();
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            outbox.append(connection, all);
        } catch (SQLException refused) {
            throw new DataAccessResourceFailureException(
                    "The database did not take a message into its outbox, the transaction must be rolled back;"
                            + " are the tables there (outbox.schema.initialize, or the migration files)?",
                    refused);
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
        CommitHint.afterCommitOf(outbox);
    }

    OutboxMessage json(String topic, String key, String type, Object event, int priority) {
        return OutboxMessage.to(topic)
                .key(key)
                .type(type)
                .payload(json.write(event))
                .header(OutboxMessage.CONTENT_TYPE, "application/json")
                .priority(priority)
                .build();
    }

    private static OutboxMessage with(Map<String, String> traced, OutboxMessage message) {
        if (traced.isEmpty()) {
            return message;
        }
        Map<String, String> headers = new LinkedHashMap<>(traced);
        headers.putAll(message.headers());
        return new OutboxMessage(
                message.topic(), message.key(), message.type(), message.payload(), headers, message.priority());
    }
}
