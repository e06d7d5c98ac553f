-- Partitions. No statement here rewrites the table, and writers that do not know the new columns go on as before.
ALTER TABLE outbox_events ADD COLUMN partition_id INT;

ALTER TABLE outbox_events ADD COLUMN priority SMALLINT NOT NULL DEFAULT 0;

-- All rows come and go: dead ones are cleared away at once and at full speed.
ALTER TABLE outbox_events SET (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0,
  toast.autovacuum_vacuum_cost_delay = 0
);

-- The token of each partition's owner; whoever finishes rows under a lower one is refused. The row -2 says which outbox it is.
-- The batch is the last one of an exactly-once sender whose rows are gone: what it remembers must agree with it.
CREATE TABLE IF NOT EXISTS outbox_partitions (
  partition_id INT PRIMARY KEY,
  generation BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  batch BIGINT NOT NULL DEFAULT 0
);

-- Keys that wait because of one row; their other rows wait behind it.
CREATE TABLE IF NOT EXISTS outbox_parked (
  row_id BIGINT PRIMARY KEY,
  message_key VARCHAR(255) NOT NULL,
  attempts INT NOT NULL,
  retry_at TIMESTAMPTZ NOT NULL,
  error TEXT NOT NULL
);

CREATE INDEX IF NOT EXISTS outbox_parked_key ON outbox_parked (message_key);

CREATE TABLE IF NOT EXISTS outbox_dead (
  id BIGINT PRIMARY KEY,
  partition_id INT,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL,
  payload BYTEA NOT NULL,
  headers TEXT,
  priority SMALLINT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL,
  reason TEXT NOT NULL,
  attempts INT NOT NULL,
  later_rows_sent BOOLEAN NOT NULL,
  dead_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);

-- What was sent, where it is kept for a while.
CREATE TABLE IF NOT EXISTS outbox_sent (
  id BIGINT PRIMARY KEY,
  partition_id INT,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL,
  payload BYTEA NOT NULL,
  headers TEXT,
  priority SMALLINT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL,
  sent_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX IF NOT EXISTS outbox_sent_age ON outbox_sent (sent_at);
