-- The table of an outbox with one global lock. A row that was sent is deleted (or gets another status by nodes of the old kind).
-- DATETIME holds UTC, because the server does not convert it between zones.
CREATE TABLE IF NOT EXISTS outbox_events (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  topic VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  type VARCHAR(255) NOT NULL DEFAULT '',
  payload LONGBLOB NOT NULL,
  headers LONGTEXT,
  status SMALLINT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
