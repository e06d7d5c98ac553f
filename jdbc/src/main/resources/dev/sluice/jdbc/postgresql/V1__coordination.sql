-- ShedLock's own table; an existing one is used as it is.
CREATE TABLE IF NOT EXISTS shedlock (
  name VARCHAR(64) NOT NULL,
  lock_until TIMESTAMP NOT NULL,
  locked_at TIMESTAMP NOT NULL,
  locked_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE IF NOT EXISTS sluice_coordination (
  k VARCHAR(2100) COLLATE "C" NOT NULL,
  v BYTEA NOT NULL,
  rev BIGINT NOT NULL,
  PRIMARY KEY (k)
);

-- No key is ever created again under a revision that a deleted one had: this row holds the highest of those.
INSERT INTO sluice_coordination (k, v, rev) VALUES ('#floor', '', 0) ON CONFLICT DO NOTHING;
