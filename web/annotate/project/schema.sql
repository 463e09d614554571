-- The work of annotators. PRAGMA user_version holds the format's version.
CREATE TABLE project (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL,               -- JSON: seed, secret, rubric, checks, texts of the study
  address  TEXT NOT NULL,               -- at which annotators reach the server; '' before the first
  changes  INTEGER NOT NULL,            -- grows with every transaction
  link     TEXT NOT NULL,               -- SHA-256 of the token of the study's link; '': there is none
  most     INTEGER NOT NULL             -- people who may come by it
) STRICT;

CREATE TABLE versions (                 -- of what people are told and asked; the last one counts
  version INTEGER PRIMARY KEY,          -- from 1
  at      TEXT NOT NULL,
  what    TEXT NOT NULL,                -- what was changed, in words
  texts   TEXT NOT NULL                 -- JSON: guidelines, consent, the questions of the check, before and after
) STRICT;

CREATE TABLE declined (                 -- people who came by the study's link and did not consent, of whom nothing else is kept
  code TEXT PRIMARY KEY                 -- HMAC of the platform's id by the project's secret
) STRICT;

CREATE TABLE items (                    -- what is annotated, with a copy of its texts
  id       INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL,               -- one of the program's forms, which the program compares when it reads the study
  source   TEXT NOT NULL,               -- id of the answer, pair or item
  cluster  TEXT NOT NULL,               -- the question
  content  TEXT NOT NULL,               -- JSON: question and texts; judges of attachments are never shown
  hash     TEXT NOT NULL,               -- SHA-256 of content
  role     TEXT NOT NULL CHECK (role IN ('main', 'overlap', 'gold', 'attention', 'practice', 'example')),
  shown    TEXT NOT NULL CHECK (shown IN ('', 'ab', 'ba')), -- sides for everybody; '': seeded for each person
  expected TEXT NOT NULL,               -- known sheet, JSON; '' for others
  UNIQUE (kind, source)
) STRICT;

CREATE TABLE annotators (               -- 0: the owner, who decides as 'adjudicated'
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,      -- for the owner alone
  alias      TEXT NOT NULL UNIQUE,      -- for everybody else: in exports and in the run
  token_hash TEXT NOT NULL UNIQUE,      -- SHA-256 of the invitation's token
  seed       INTEGER NOT NULL,
  tries      INTEGER NOT NULL,          -- failed comprehension checks
  passed     INTEGER NOT NULL,
  consented  TEXT NOT NULL,             -- when; '': not yet
  consent_version INTEGER NOT NULL REFERENCES versions (version), -- to which the person agreed
  read_version    INTEGER NOT NULL REFERENCES versions (version), -- whose guidelines the person has seen
  revoked    INTEGER NOT NULL,
  excluded      TEXT NOT NULL,          -- why; '': not excluded
  excluded_at   TEXT NOT NULL,
  excluded_from TEXT NOT NULL,          -- sheets from this time on do not count; '': none does
  external      TEXT NOT NULL,          -- id on the platform that sent the person; '': invited by name. Never exported
  submission    TEXT NOT NULL,          -- of the platform: a session or an assignment
  returns       INTEGER NOT NULL,       -- 1: the run has earlier work of the person under the alias, which therefore stays
  planned    INTEGER NOT NULL,          -- items of the study that the person is to get, fixed at the first one; 0: not yet
  stopped    TEXT NOT NULL,             -- when the part ended by missed attention items; '': it did not
  finished   TEXT NOT NULL              -- when the person was told that there is no item left; '': not, or an item was given since
) STRICT;

CREATE UNIQUE INDEX annotators_sent ON annotators (external) WHERE external <> '';

CREATE TABLE earlier (                  -- items that a person judged before this study, who therefore never gets them
  annotator INTEGER NOT NULL REFERENCES annotators,
  item      INTEGER NOT NULL REFERENCES items,
  PRIMARY KEY (annotator, item)
) STRICT;

CREATE TABLE forgotten (                -- people of whom nothing else is left
  annotator INTEGER PRIMARY KEY,
  at        TEXT NOT NULL,
  sheets    INTEGER NOT NULL,
  events    INTEGER NOT NULL,
  remarks   INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id        INTEGER PRIMARY KEY,
  hash      TEXT NOT NULL UNIQUE,       -- SHA-256 of the cookie
  annotator INTEGER NOT NULL REFERENCES annotators,
  started   TEXT NOT NULL
) STRICT;

CREATE TABLE replies (                  -- to the owner's questions and to the check; append-only
  id        INTEGER PRIMARY KEY,
  annotator INTEGER NOT NULL REFERENCES annotators,
  moment    TEXT NOT NULL CHECK (moment IN ('check', 'before', 'after')),
  question  TEXT NOT NULL,              -- its id
  value     TEXT NOT NULL,              -- '': not answered
  correct   INTEGER NOT NULL,           -- of the check; 0 elsewhere
  version   INTEGER NOT NULL REFERENCES versions (version),
  at        TEXT NOT NULL
) STRICT;

CREATE INDEX replies_of ON replies (annotator, moment);

CREATE TABLE assignments (
  annotator INTEGER NOT NULL REFERENCES annotators,
  item      INTEGER NOT NULL REFERENCES items,
  kind      TEXT NOT NULL CHECK (kind IN ('main', 'overlap', 'gold', 'attention', 'repeat', 'practice', 'adjudicate')),
  blind     TEXT NOT NULL UNIQUE,       -- the only id that a browser gets
  position  INTEGER NOT NULL,
  shown     TEXT NOT NULL CHECK (shown IN ('ab', 'ba')),
  revision  INTEGER NOT NULL,           -- of the last event; 0: none
  state     TEXT NOT NULL,              -- kind of the last event that counts; '': none
  ended     INTEGER NOT NULL,           -- its revision; a draft or a flag of a finished sheet does not count
  total     REAL,                       -- of the submitted score sheet
  shown_at  TEXT NOT NULL DEFAULT '',   -- when the page was last sent; '': never
  excluded  INTEGER NOT NULL DEFAULT 0, -- 1: the sheet does not count, because the owner excluded the person
  UNIQUE (annotator, item, kind)
) STRICT;

CREATE INDEX assignments_of ON assignments (item);

CREATE TABLE events (                   -- append-only
  id        INTEGER PRIMARY KEY,
  annotator INTEGER NOT NULL REFERENCES annotators,
  item      TEXT NOT NULL REFERENCES assignments (blind),
  revision  INTEGER NOT NULL,           -- from 1
  kind      TEXT NOT NULL CHECK (kind IN ('draft', 'stage', 'submit', 'skip', 'flag', 'undo', 'adjudicate')),
  body      TEXT NOT NULL,              -- JSON
  active_ms INTEGER NOT NULL,           -- claimed by the browser, at most the time since the page was sent
  server_ms INTEGER NOT NULL,           -- since the page was sent or the event before, of at most ten minutes; 0: not known
  pasted    INTEGER NOT NULL,           -- characters pasted into texts, as the browser says
  writing_ms INTEGER NOT NULL,          -- between keys in texts, as the browser says
  view      TEXT NOT NULL CHECK (view IN ('rendered', 'raw', 'both')),
  at        TEXT NOT NULL,
  nonce     TEXT NOT NULL UNIQUE,
  version   INTEGER NOT NULL REFERENCES versions (version), -- whose guidelines the person had seen
  UNIQUE (annotator, item, revision)
) STRICT;

CREATE INDEX events_of ON events (item, revision);

CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
  WHEN NOT EXISTS (SELECT 1 FROM forgotten WHERE annotator = old.annotator) BEGIN SELECT raise(ABORT, 'events are append-only'); END;
