-- By themselves, since CONCURRENTLY needs to be outside of a transaction; they hold only what is pending.
CREATE INDEX CONCURRENTLY outbox_events_pending ON outbox_events (partition_id, id) WHERE status = 0;

CREATE INDEX CONCURRENTLY outbox_events_urgent ON outbox_events (partition_id, id) WHERE status = 0 AND priority > 0;
