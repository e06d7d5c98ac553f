-- ShedLock's own table; an existing one is used as it is. DATETIME, because the server does not convert it between zones.
CREATE TABLE IF NOT EXISTS shedlock (
  name VARCHAR(64) NOT NULL,
  lock_until DATETIME(3) NOT NULL,
  locked_at DATETIME(3) NOT NULL,
  locked_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS sluice_coordination (
  k VARCHAR(2100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  v MEDIUMBLOB NOT NULL,
  rev BIGINT NOT NULL,
  PRIMARY KEY (k)
) ENGINE = InnoDB;

-- No key is ever created again under a revision that a deleted one had: this row holds the highest of those.
INSERT IGNORE INTO sluice_coordination (k, v, rev) VALUES ('#floor', '', 0);
