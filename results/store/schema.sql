-- The record of a run. PRAGMA user_version holds the format's version.
--
-- Tables with texts in them have a rowid: in one without, SQLite reads the whole
-- of each row that it passes on the way to a key.

CREATE TABLE run (                      -- one row a distinct way of having been run
  id          INTEGER PRIMARY KEY,
  part        TEXT NOT NULL,            -- what was run: answers (with verdicts and labels), pairs (preferences, samples, grades)
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
  sources     TEXT NOT NULL,            -- of pairs: where they are from, JSON
  seed        INTEGER NOT NULL
) STRICT;

CREATE TABLE parties (                  -- who makes results
  role       TEXT NOT NULL,             -- system, judge, pairwise (a judge of pairs)
  name       TEXT NOT NULL,
  method     TEXT NOT NULL,             -- of a judge of pairs, else ""
  position   INTEGER NOT NULL,          -- order in tables
  kind       TEXT NOT NULL,             -- baseline, file, model, imported; of judges also embedded, floor, human
  family     TEXT NOT NULL,
  about      TEXT NOT NULL,
  hinted     INTEGER NOT NULL,          -- 1: a judge of pairs that is told which answer is better
  trained_on TEXT NOT NULL,             -- data that a judge of pairs was trained on, as the configuration says
  sources    TEXT NOT NULL DEFAULT '',  -- of a system that takes its sources from a file: a list of data.PairSources, JSON
  PRIMARY KEY (role, name, method)
) WITHOUT ROWID, STRICT;

CREATE TABLE plan (                     -- how many cells there are to be
  kind        TEXT NOT NULL,            -- answer, verdict, preference, or the kind of labels: claims, rows, partition, consistent, support
  judge       TEXT NOT NULL,            -- "" for answers
  system      TEXT NOT NULL,            -- system and scenario: "" for preferences
  scenario    TEXT NOT NULL,
  method      TEXT NOT NULL DEFAULT '', -- method, dataset and order: of preferences
  dataset     TEXT NOT NULL DEFAULT '',
  "order"     TEXT NOT NULL DEFAULT '', -- ab, ba
  planned     INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,            -- hash of all that the cells' content depends on
  origin      TEXT NOT NULL,            -- config, pairs, or the import it came with; of several, the latest
  note        TEXT NOT NULL,            -- why what is missing was skipped; "" for what is still to come
  work        TEXT NOT NULL,            -- hash of which results there are to be
  active      INTEGER NOT NULL,         -- 0 once the configuration no longer asks for it
  PRIMARY KEY (kind, judge, system, scenario, method, dataset, "order")
) WITHOUT ROWID, STRICT;

CREATE TABLE questions (
  id        TEXT PRIMARY KEY,
  position  INTEGER NOT NULL,
  object1   TEXT NOT NULL,
  object2   TEXT NOT NULL,
  aspect    TEXT NOT NULL,
  question  TEXT NOT NULL,
  arguments TEXT NOT NULL               -- JSON
) WITHOUT ROWID, STRICT;

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
  reason    TEXT NOT NULL,
  words     INTEGER NOT NULL,
  sentences INTEGER NOT NULL,
  citations INTEGER NOT NULL,           -- numbers of arguments in square brackets
  unknown   INTEGER NOT NULL,           -- of these, numbers that no argument of the question has
  generated INTEGER NOT NULL,           -- [generated] tags
  choice    TEXT NOT NULL,              -- object1, object2 (of the answer's two), none, "" for no choice
  cited1    INTEGER NOT NULL,           -- sentences with a citation that speak for object1
  cited2    INTEGER NOT NULL,
  made1     INTEGER NOT NULL,           -- sentences with a [generated] tag alone that speak for object1
  made2     INTEGER NOT NULL,
  calls     TEXT NOT NULL,              -- ids of the calls that it was read from, JSON
  origin    TEXT NOT NULL DEFAULT '',   -- the import that it came with; "" without one
  summary   TEXT NOT NULL,              -- the contrastive table that the text is rendered from, data.ContrastTable, JSON; "" without one
  text      TEXT NOT NULL,
  reasoning TEXT NOT NULL
) STRICT;

CREATE INDEX answers_of ON answers (system, scenario, id);

CREATE TABLE prompts (                  -- long parts that requests have in common
  hash TEXT PRIMARY KEY,                -- SHA-256 of the text
  text TEXT NOT NULL                    -- within a JSON string
) STRICT;

-- A row is one time that a model was asked, with how it ended; its retries are its attempts.
-- It never changes once it has ended: a call that is asked again is a new row with the same
-- key, and a result names the rows that it was read from.
CREATE TABLE calls (
  id        INTEGER PRIMARY KEY,
  key       TEXT NOT NULL,              -- hash of all that affects the reply, and of nothing else
  provider  TEXT NOT NULL,
  model     TEXT NOT NULL,
  request   TEXT NOT NULL,              -- what was asked, JSON; a part in prompts stands as its hash between two bytes 1; "" where the first row with this key has it
  status    TEXT NOT NULL,              -- that of its last attempt; pending: in a batch that is not collected
  reply     TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  finish    TEXT NOT NULL,
  raw       TEXT NOT NULL,              -- the last body as received
  origin    TEXT NOT NULL DEFAULT '',   -- the earlier run that the reply was taken from, "" where it was asked for
  round     INTEGER NOT NULL DEFAULT 0  -- above 0: asked because the reply of the round before could not be read
) STRICT;

CREATE INDEX calls_by_key ON calls (key);

CREATE TABLE attempts (
  id                INTEGER PRIMARY KEY,
  call              INTEGER NOT NULL,   -- id of the call
  n                 INTEGER NOT NULL,   -- from 1
  started           TEXT NOT NULL,
  latency_ms        REAL NOT NULL,
  waited_ms         REAL NOT NULL,
  http_status       INTEGER,
  status            TEXT NOT NULL,
  reason            TEXT NOT NULL,
  prompt_tokens     INTEGER,
  cached_tokens     INTEGER,            -- of the prompt, read from the provider's cache
  written_tokens    INTEGER,            -- of the prompt, written to it
  completion_tokens INTEGER,
  reasoning_tokens  INTEGER,
  cost              REAL,               -- US dollars; NULL: no price was known
  estimated         INTEGER NOT NULL DEFAULT 0,  -- 1: the server told no usage
  batch             TEXT NOT NULL DEFAULT '',    -- the provider's id of the batch it came in
  service_tier      TEXT NOT NULL DEFAULT '',    -- in which the server processed it, by its own word
  answered_by       TEXT NOT NULL DEFAULT '',    -- the model's name in the reply
  kind              TEXT NOT NULL DEFAULT '',    -- who asked, and pays: answer, verdict
  party             TEXT NOT NULL DEFAULT '',    -- the system or judge
  provider          TEXT NOT NULL DEFAULT '',
  model             TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE adaptations (              -- how requests to a model differ from what was wanted
  provider  TEXT NOT NULL,
  model     TEXT NOT NULL,
  parameter TEXT NOT NULL,              -- what it does not accept; or reasoning_allowance
  value     TEXT NOT NULL,              -- what is sent instead, "" for nothing
  reason    TEXT NOT NULL,              -- the server's words, or where it is documented
  PRIMARY KEY (provider, model, parameter)
) WITHOUT ROWID, STRICT;

CREATE TABLE unplaced (                 -- imported rows whose answer was not found
  origin   TEXT NOT NULL,
  judge    TEXT NOT NULL,
  source   TEXT NOT NULL,               -- file and line
  system   TEXT NOT NULL,
  scenario TEXT NOT NULL,
  aspect   TEXT NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (origin, judge, source)
) WITHOUT ROWID, STRICT;

CREATE TABLE sums (                     -- checksums of all rows, from when the record is closed until it is changed
  name TEXT PRIMARY KEY,                -- the table; or "last report"
  rows INTEGER NOT NULL,
  sum  TEXT NOT NULL,                   -- SHA-256; of the report: of all that it depends on beside answers and verdicts
  text TEXT NOT NULL DEFAULT ''         -- the report's summary as printed
) WITHOUT ROWID, STRICT;

-- What is being asked. Batches at providers, from before they are submitted until
-- their replies are recorded as calls; and single calls, from before a request is
-- sent until its reply is recorded, when the row is deleted. A single call has the
-- status asked, or unanswered when the program was killed meanwhile, no id, and its
-- key once for each request that may have been paid.

CREATE TABLE batches (
  label     TEXT PRIMARY KEY,           -- ours, sent along: it finds a batch whose id got lost
  provider  TEXT NOT NULL,
  model     TEXT NOT NULL,
  kind      TEXT NOT NULL,              -- who asks, as in attempts
  party     TEXT NOT NULL,
  id        TEXT NOT NULL,              -- the provider's; "" until it is known
  status    TEXT NOT NULL,              -- submitting, the provider's word, collected
  submitted TEXT NOT NULL,
  aside     REAL NOT NULL,              -- set aside for it, US dollars
  keys      TEXT NOT NULL               -- of the calls in it, JSON; their requests are in calls
) WITHOUT ROWID, STRICT;

-- Scores of judges before and after answers were changed on purpose.

CREATE TABLE attacks (
  judge    TEXT NOT NULL,
  attack   TEXT NOT NULL,
  position INTEGER NOT NULL,            -- of the attack in tables
  about    TEXT NOT NULL,               -- what it does
  expects  TEXT NOT NULL, -- what the score should do: fall, not rise or stay
  answer   TEXT NOT NULL,
  pair     TEXT NOT NULL,
  before   REAL NOT NULL,               -- total points
  after    REAL NOT NULL,
  work     TEXT NOT NULL,               -- hash of the judges that were attacked
  PRIMARY KEY (judge, attack, answer)
) WITHOUT ROWID, STRICT;

-- What pairwise judges are asked.

CREATE TABLE sets (
  name        TEXT PRIMARY KEY,
  position    INTEGER NOT NULL,         -- order in tables
  source      TEXT NOT NULL,            -- where its pairs are from, in words
  base        TEXT NOT NULL,            -- the set that this one is made of by a bias, or ""
  bias        TEXT NOT NULL,
  adversarial INTEGER NOT NULL,         -- the bias speaks against people's choice
  margin      REAL,                     -- points between two answers up to which people's preference is a tie; NULL: labels are the file's own
  first       INTEGER NOT NULL          -- of the run's own pairs, only so many were made; 0: all
) STRICT;

CREATE TABLE pairs (
  id       TEXT PRIMARY KEY,
  dataset  TEXT NOT NULL,
  position INTEGER NOT NULL,
  question TEXT NOT NULL,
  a        TEXT NOT NULL,               -- "" where the answers are on record: answer_a, answer_b
  b        TEXT NOT NULL,
  label    TEXT NOT NULL,               -- a, b, tie, none
  cluster  TEXT NOT NULL,
  domain   TEXT NOT NULL,
  item     TEXT NOT NULL,               -- what several pairs are the candidates of, or ""
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
) STRICT;

CREATE INDEX pairs_of ON pairs (dataset, position);
