-- The tables that records of format 16 have in place of results.sql.

CREATE TABLE verdicts (
  judge  TEXT NOT NULL,
  answer TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  status TEXT NOT NULL,
  scores TEXT NOT NULL,                 -- criterion to points, JSON
  total  REAL,
  reason TEXT NOT NULL,
  raw    TEXT NOT NULL,
  calls  TEXT NOT NULL,
  origin TEXT NOT NULL DEFAULT '',      -- the import that it came with; "" without one
  PRIMARY KEY (judge, answer, repeat)
) STRICT;

CREATE TABLE labels (
  answer TEXT NOT NULL,
  judge  TEXT NOT NULL,
  kind   TEXT NOT NULL,                 -- claims, rows, partition, consistent, support
  status TEXT NOT NULL,
  labels TEXT NOT NULL,                 -- JSON: data.Claims, data.Labels; "" where there are none
  reason TEXT NOT NULL,
  raw    TEXT NOT NULL,
  calls  TEXT NOT NULL,
  PRIMARY KEY (answer, judge, kind)
) STRICT;

CREATE TABLE preferences (
  id          TEXT NOT NULL,            -- the pair's
  judge       TEXT NOT NULL,
  method      TEXT NOT NULL,
  "order"     TEXT NOT NULL,            -- ab, ba
  fingerprint TEXT NOT NULL,            -- hash of all that the preference depends on
  status      TEXT NOT NULL,
  reason      TEXT NOT NULL,            -- why there is none
  choice      TEXT NOT NULL,            -- a, b, tie
  calls       TEXT NOT NULL,
  rationale   TEXT NOT NULL,
  detail      TEXT NOT NULL,            -- how it came about, JSON
  PRIMARY KEY (id, judge, method, "order")
) STRICT;

CREATE TABLE samples (    -- judgments that were sampled for learning from
  id          TEXT NOT NULL,            -- the pair's
  judge       TEXT NOT NULL,
  "order"     TEXT NOT NULL,
  source      TEXT NOT NULL,            -- repeated, correct hint, incorrect hint
  sample      INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  status      TEXT NOT NULL,
  choice      TEXT NOT NULL,            -- a, b
  text        TEXT NOT NULL,            -- the reply as it is
  reason      TEXT NOT NULL,
  calls       TEXT NOT NULL,
  PRIMARY KEY (id, judge, "order", source, sample)
) STRICT;

CREATE TABLE grades (     -- of rationales, by a model or by people
  id          TEXT NOT NULL,
  judge       TEXT NOT NULL,
  method      TEXT NOT NULL,
  "order"     TEXT NOT NULL,
  grader      TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status      TEXT NOT NULL,
  right       INTEGER,                  -- the grader holds the choice to be right; NULL: it did not say
  correctness INTEGER,                  -- 1 to 5
  consistency INTEGER,                  -- 1 to 3
  reason      TEXT NOT NULL,
  calls       TEXT NOT NULL,
  PRIMARY KEY (id, judge, method, "order", grader)
) STRICT;
