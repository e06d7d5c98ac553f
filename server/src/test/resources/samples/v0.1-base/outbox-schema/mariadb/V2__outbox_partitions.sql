-- Partitions. Writers that do not know the new columns go on as before.
ALTER TABLE outbox_events ADD COLUMN partition_id INT;

ALTER TABLE outbox_events ADD COLUMN priority SMALLINT NOT NULL DEFAULT 0;

-- The token of each partition's owner; whoever finishes rows under a lower one is refused. The row -2 says which outbox it is.
-- The batch is the last one of an exactly-once sender whose rows are gone: what it remembers must agree with it.
CREATE TABLE IF NOT EXISTS outbox_partitions (
  partition_id INT NOT NULL PRIMARY KEY,
  generation BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  batch BIGINT NOT NULL DEFAULT 0
) ENGINE = InnoDB;

-- Keys that wait because of one row; their other rows wait behind it.
CREATE TABLE IF NOT EXISTS outbox_parked (
  row_id BIGINT NOT NULL PRIMARY KEY,
  message_key VARCHAR(255) NOT NULL,
  attempts INT NOT NULL,
  retry_at DATETIME(6) NOT NULL,
  error LONGTEXT NOT NULL,
  KEY outbox_parked_key (message_key)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS outbox_dead (
  id BIGINT NOT NULL PRIMARY KEY,
  partition_id INT,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL,
  payload LONGBLOB NOT NULL,
  headers LONGTEXT,
  priority SMALLINT NOT NULL,
  created_at DATETIME(6) NOT NULL,
  reason LONGTEXT NOT NULL,
  attempts INT NOT NULL,
  later_rows_sent BOOLEAN NOT NULL,
  dead_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What was sent, where it is kept for a while.
CREATE TABLE IF NOT EXISTS outbox_sent (
  id BIGINT NOT NULL PRIMARY KEY,
  partition_id INT,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL,
  payload LONGBLOB NOT NULL,
  headers LONGTEXT,
  priority SMALLINT NOT NULL,
  created_at DATETIME(6) NOT NULL,
  sent_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  KEY outbox_sent_age (sent_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Writers of one key lock its slot until they commit, where strict_key_order is asked for.
CREATE TABLE IF NOT EXISTS outbox_keys (
  slot INT NOT NULL PRIMARY KEY
) ENGINE = InnoDB;

INSERT INTO outbox_keys (slot)
  WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 31)
  SELECT a.i * 32 + b.i FROM n a CROSS JOIN n b WHERE NOT EXISTS (SELECT 1 FROM outbox_keys);
