-- By themselves, since they take long on a large table; writers go on meanwhile.
CREATE INDEX outbox_events_pending ON outbox_events (partition_id, status, id) ALGORITHM = INPLACE LOCK = NONE;

CREATE INDEX outbox_events_urgent ON outbox_events (priority, partition_id) ALGORITHM = INPLACE LOCK = NONE;
