-- The work of annotators. PRAGMA user_version holds the format's version.
CREATE TABLE project (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL                -- JSON: seed, secret, rubric, overlap, shares
) STRICT;

CREATE TABLE items (                    -- what is annotated, with a copy of its texts
  id       INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL CHECK (kind IN ('score', 'pair', 'row')),
  source   TEXT NOT NULL,               -- id of the answer or pair
  row      INTEGER NOT NULL,            -- of a table, from 1; 0: the item is no row
  cluster  TEXT NOT NULL,               -- the question
  content  TEXT NOT NULL,               -- JSON: question and texts, without names of systems
  hash     TEXT NOT NULL,               -- SHA-256 of content
  role     TEXT NOT NULL CHECK (role IN ('main', 'overlap', 'gold')),
  expected TEXT NOT NULL,               -- sheet of a gold item, JSON; '' for others
  UNIQUE (kind, source, row)
) STRICT;

CREATE TABLE annotators (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  role       TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator')),
  token_hash TEXT NOT NULL UNIQUE,      -- SHA-256 of the invitation's token
  seed       INTEGER NOT NULL,
  tries      INTEGER NOT NULL,          -- failed comprehension checks
  passed     INTEGER NOT NULL,
  revoked    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  hash      TEXT PRIMARY KEY,           -- SHA-256 of the cookie
  annotator INTEGER NOT NULL REFERENCES annotators,
  started   TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE assignments (
  annotator INTEGER NOT NULL REFERENCES annotators,
  item      INTEGER NOT NULL REFERENCES items,
  kind      TEXT NOT NULL CHECK (kind IN ('main', 'overlap', 'gold', 'repeat', 'adjudicate')),
  blind     TEXT NOT NULL UNIQUE,       -- the only id that a browser gets
  position  INTEGER NOT NULL,
  shown     TEXT NOT NULL CHECK (shown IN ('ab', 'ba')),
  UNIQUE (annotator, item, kind)
) STRICT;

CREATE TABLE events (                   -- append-only
  id        INTEGER PRIMARY KEY,
  annotator INTEGER NOT NULL REFERENCES annotators,
  item      TEXT NOT NULL REFERENCES assignments (blind),
  revision  INTEGER NOT NULL,           -- from 1
  kind      TEXT NOT NULL CHECK (kind IN ('draft', 'submit', 'skip', 'flag', 'undo', 'adjudicate')),
  body      TEXT NOT NULL,              -- JSON
  active_ms INTEGER NOT NULL,
  view      TEXT NOT NULL CHECK (view IN ('rendered', 'raw', 'both')),
  at        TEXT NOT NULL,
  nonce     TEXT NOT NULL UNIQUE,
  UNIQUE (annotator, item, revision)
) STRICT;

CREATE INDEX events_of ON events (item, revision);

CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT raise(ABORT, 'events are append-only'); END;
