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
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes messages in the current {@code @Transactional}: they are sent if and only if it commits, soon after it does. Outside
 * of a transaction on the outbox's DataSource it refuses, since a message that is written on its own is sent even when what
 * it tells of was rolled back. The current trace goes along as a header.
 */
public final class OutboxPublisher {
    private final Outbox outbox;
    private final DataSource source;
    private final EventJson json;
    private final TraceHeaders trace;

    public OutboxPublisher(Outbox outbox, DataSource source, EventJson json, TraceHeaders trace) {
        this.outbox = outbox;
        this.source = source;
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
        requireTransaction();
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

    private void requireTransaction() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException("There is no transaction here that the message could belong to:"
                    + " publish it in a method that is @Transactional, or through a TransactionTemplate.");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalTransactionStateException("The transaction is read-only, and a message is a row:"
                    + " leave readOnly out where a message is published.");
        }
        if (!TransactionSynchronizationManager.hasResource(source)) {
            throw new IllegalTransactionStateException(
                    "The transaction is not one of the outbox's DataSource, so the message"
                            + " would not be committed with it: use the transaction manager of that DataSource, or call"
                            + " Outbox.append with the connection yourself.");
        }
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
