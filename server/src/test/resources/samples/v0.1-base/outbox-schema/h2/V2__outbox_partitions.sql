-- Partitions. Writers that do not know the new columns go on as before.
ALTER TABLE outbox_events ADD COLUMN partition_id INT;

ALTER TABLE outbox_events ADD COLUMN priority SMALLINT DEFAULT 0 NOT NULL;

-- The token of each partition's owner; whoever finishes rows under a lower one is refused. The row -2 says which outbox it is.
-- The batch is the last one of an exactly-once sender whose rows are gone: what it remembers must agree with it.
CREATE TABLE IF NOT EXISTS outbox_partitions (
  partition_id INT PRIMARY KEY,
  generation BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  batch BIGINT DEFAULT 0 NOT NULL
);

-- Keys that wait because of one row; their other rows wait behind it.
CREATE TABLE IF NOT EXISTS outbox_parked (
  row_id BIGINT PRIMARY KEY,
  message_key VARCHAR(255) NOT NULL,
  attempts INT NOT NULL,
  retry_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  error CLOB NOT NULL
);

CREATE INDEX IF NOT EXISTS outbox_parked_key ON outbox_parked (message_key);

CREATE TABLE IF NOT EXISTS outbox_dead (
  id BIGINT PRIMARY KEY,
  partition_id INT,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL,
  payload BLOB NOT NULL,
  headers CLOB,
  priority SMALLINT NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  reason CLOB NOT NULL,
  attempts INT NOT NULL,
  later_rows_sent BOOLEAN NOT NULL,
  dead_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);

-- What was sent, where it is kept for a while.
CREATE TABLE IF NOT EXISTS outbox_sent (
  id BIGINT PRIMARY KEY,
  partition_id INT,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL,
  payload BLOB NOT NULL,
  headers CLOB,
  priority SMALLINT NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  sent_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE INDEX IF NOT EXISTS outbox_sent_age ON outbox_sent (sent_at);

-- Writers of one key lock its slot until they commit, where strict_key_order is asked for.
CREATE TABLE IF NOT EXISTS outbox_keys (
  slot INT PRIMARY KEY
);

INSERT INTO outbox_keys (slot) SELECT x FROM SYSTEM_RANGE(0, 1023) WHERE NOT EXISTS (SELECT 1 FROM outbox_keys);
