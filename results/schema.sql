-- The record of a run. PRAGMA user_version holds the format's version.
--
-- Tables with texts in them have a rowid: in one without, SQLite reads the whole
-- of each row that it passes on the way to a key.

CREATE TABLE run (                      -- one row a distinct way of having been run
  id          INTEGER PRIMARY KEY,
  started     TEXT NOT NULL,
  finished    TEXT,
  program     TEXT NOT NULL,            -- version of compqa
  revision    TEXT NOT NULL,            -- commit it was built from
  config      TEXT NOT NULL,            -- resolved configuration, JSON
  dataset     TEXT NOT NULL,
  data_hash   TEXT NOT NULL,
  rubric      TEXT NOT NULL,            -- JSON
  rubric_hash TEXT NOT NULL,
  templates   TEXT NOT NULL,            -- scenario id to text, JSON
  release_hash TEXT NOT NULL,
  seed        INTEGER NOT NULL
);

CREATE TABLE systems (
  name     TEXT PRIMARY KEY,
  position INTEGER NOT NULL,            -- order in tables
  kind     TEXT NOT NULL,               -- baseline, file, model, imported
  family   TEXT NOT NULL,
  about    TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE judges (
  name     TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  kind     TEXT NOT NULL,               -- embedded, floor, model, imported, human
  family   TEXT NOT NULL,
  about    TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE plan (                     -- how many cells there are to be
  kind        TEXT NOT NULL,            -- answer, verdict
  judge       TEXT NOT NULL,            -- "" for answers
  system      TEXT NOT NULL,
  scenario    TEXT NOT NULL,
  planned     INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,            -- hash of all that the cells' content depends on
  origin      TEXT NOT NULL,            -- config, or the import it came with
  note        TEXT NOT NULL,            -- why what is missing was skipped; "" for what is still to come
  active      INTEGER NOT NULL,         -- 0 once the configuration no longer asks for it
  PRIMARY KEY (kind, judge, system, scenario)
) WITHOUT ROWID;

CREATE TABLE questions (
  id        TEXT PRIMARY KEY,
  position  INTEGER NOT NULL,
  pair      TEXT NOT NULL,
  object1   TEXT NOT NULL,
  object2   TEXT NOT NULL,
  aspect    TEXT NOT NULL,
  question  TEXT NOT NULL,
  arguments TEXT NOT NULL               -- JSON
) WITHOUT ROWID;

CREATE TABLE answers (
  id        TEXT PRIMARY KEY,
  question  TEXT NOT NULL,
  object1   TEXT NOT NULL,
  object2   TEXT NOT NULL,
  aspect    TEXT NOT NULL,
  system    TEXT NOT NULL,
  scenario  TEXT NOT NULL,
  repeat    INTEGER NOT NULL,
  status    TEXT NOT NULL,
  text      TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  reason    TEXT NOT NULL,
  words     INTEGER NOT NULL,
  sentences INTEGER NOT NULL,
  calls     TEXT NOT NULL               -- keys of the calls it rests on, JSON
);

CREATE INDEX answers_of ON answers (system, scenario, id);

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
  PRIMARY KEY (judge, answer, repeat)
);

CREATE TABLE calls (
  key       TEXT PRIMARY KEY,           -- hash of all that affects the reply, and of nothing else
  provider  TEXT NOT NULL,
  model     TEXT NOT NULL,
  request   TEXT NOT NULL,              -- what was asked: JSON, or how it differs from another call's (request.go)
  status    TEXT NOT NULL,
  reply     TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  finish    TEXT NOT NULL,
  raw       TEXT NOT NULL,              -- the last body as received
  origin    TEXT NOT NULL DEFAULT ''    -- the earlier run that the reply was taken from, "" where it was asked for
);

CREATE TABLE attempts (
  call              TEXT NOT NULL,
  n                 INTEGER NOT NULL,
  started           TEXT NOT NULL,
  latency_ms        REAL NOT NULL,
  waited_ms         REAL NOT NULL,
  http_status       INTEGER,
  status            TEXT NOT NULL,
  reason            TEXT NOT NULL,
  prompt_tokens     INTEGER,
  cached_tokens     INTEGER,
  completion_tokens INTEGER,
  reasoning_tokens  INTEGER,
  cost              REAL,               -- US dollars; NULL: no price was known
  estimated         INTEGER NOT NULL DEFAULT 0,  -- 1: the server told no usage
  batch             TEXT NOT NULL DEFAULT '',    -- the provider's id of the batch it came in
  kind              TEXT NOT NULL DEFAULT '',    -- who asked, and pays: answer, verdict
  party             TEXT NOT NULL DEFAULT '',    -- the system or judge
  provider          TEXT NOT NULL DEFAULT '',
  model             TEXT NOT NULL DEFAULT ''
);

-- Attempts have no key, as they had in the first programs' records: keys of calls
-- come in no order, and a table in theirs would have a page written for every
-- attempt. Nearly all calls have one attempt, their own row tells of it where it
-- brought the reply, and nobody looks for it by the call.
CREATE INDEX attempts_again ON attempts (call, n) WHERE status <> 'valid' OR n > 1;

CREATE TABLE preferences (
  id        TEXT NOT NULL,
  judge     TEXT NOT NULL,
  method    TEXT NOT NULL,
  "order"   TEXT NOT NULL,
  status    TEXT NOT NULL,
  choice    TEXT NOT NULL,
  rationale TEXT NOT NULL,
  calls     TEXT NOT NULL,
  PRIMARY KEY (id, judge, method, "order")
);

CREATE TABLE unplaced (                 -- imported rows whose answer was not found
  origin   TEXT NOT NULL,
  judge    TEXT NOT NULL,
  source   TEXT NOT NULL,               -- file and line
  system   TEXT NOT NULL,
  scenario TEXT NOT NULL,
  aspect   TEXT NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (origin, judge, source)
) WITHOUT ROWID;
