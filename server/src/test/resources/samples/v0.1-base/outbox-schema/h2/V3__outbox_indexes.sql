CREATE INDEX outbox_events_pending ON outbox_events (partition_id, status, id);

CREATE INDEX outbox_events_urgent ON outbox_events (priority, partition_id);
