-- What pairwise judges are asked, beside the table preferences. These tables are
-- made in a record when pairs first come into it.

CREATE TABLE IF NOT EXISTS pairwise_run ( -- one row a distinct way of having been run
  id       INTEGER PRIMARY KEY,
  started  TEXT NOT NULL,
  finished TEXT,
  program  TEXT NOT NULL,
  revision TEXT NOT NULL,
  config   TEXT NOT NULL,               -- resolved configuration, JSON
  sources  TEXT NOT NULL,               -- where the pairs are from, JSON
  seed     INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS pair_sets (
  name        TEXT PRIMARY KEY,
  position    INTEGER NOT NULL,         -- order in tables
  source      TEXT NOT NULL,            -- where its pairs are from, in words
  base        TEXT NOT NULL,            -- the set that this one is made of by a bias, or ""
  bias        TEXT NOT NULL,
  adversarial INTEGER NOT NULL,         -- the bias speaks against people's choice
  margin      REAL                      -- points between two answers up to which people's preference is a tie; NULL: labels are the file's own
);

CREATE TABLE IF NOT EXISTS pairs (
  id       TEXT PRIMARY KEY,
  dataset  TEXT NOT NULL,
  position INTEGER NOT NULL,
  question TEXT NOT NULL,
  a        TEXT NOT NULL,               -- "" where the answers are on record: answer_a, answer_b
  b        TEXT NOT NULL,
  label    TEXT NOT NULL,               -- a, b, tie, none
  cluster  TEXT NOT NULL,
  domain   TEXT NOT NULL,
  object1  TEXT NOT NULL,
  object2  TEXT NOT NULL,
  aspect   TEXT NOT NULL,
  scenario TEXT NOT NULL,
  system_a TEXT NOT NULL,
  system_b TEXT NOT NULL,
  answer_a TEXT NOT NULL,
  answer_b TEXT NOT NULL,
  words_a  INTEGER NOT NULL,
  words_b  INTEGER NOT NULL,
  base     TEXT NOT NULL,               -- the pair that this one is made of by a bias, or ""
  active   INTEGER NOT NULL             -- 0 once its set no longer holds it
);

CREATE INDEX IF NOT EXISTS pairs_of ON pairs (dataset, position);

CREATE TABLE IF NOT EXISTS pairwise_judges (
  name     TEXT NOT NULL,
  method   TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind     TEXT NOT NULL,               -- model, imported, embedded, floor
  family   TEXT NOT NULL,
  about    TEXT NOT NULL,
  hinted   INTEGER NOT NULL,            -- told which answer is better
  PRIMARY KEY (name, method)
);

CREATE TABLE IF NOT EXISTS pairwise_plan (
  judge   TEXT NOT NULL,
  method  TEXT NOT NULL,
  dataset TEXT NOT NULL,
  "order" TEXT NOT NULL,                -- ab, ba
  planned INTEGER NOT NULL,
  note    TEXT NOT NULL,                -- why what is missing was skipped
  active  INTEGER NOT NULL,
  PRIMARY KEY (judge, method, dataset, "order")
);

CREATE TABLE IF NOT EXISTS preference_details (
  id          TEXT NOT NULL,
  judge       TEXT NOT NULL,
  method      TEXT NOT NULL,
  "order"     TEXT NOT NULL,
  fingerprint TEXT NOT NULL,            -- hash of all that the preference depends on
  reason      TEXT NOT NULL,            -- why there is none
  detail      TEXT NOT NULL,            -- how it came about, JSON
  PRIMARY KEY (id, judge, method, "order")
);

CREATE TABLE IF NOT EXISTS judgments (  -- sampled, for learning from
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
);

CREATE TABLE IF NOT EXISTS grades (     -- of rationales, by a model or by people
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
);
