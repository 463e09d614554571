-- What spares a run that is taken up again from looking at everything. The record
-- is complete without it.

CREATE TABLE IF NOT EXISTS done (       -- cells with a result for everything in them
  kind     TEXT NOT NULL,               -- as in plan
  judge    TEXT NOT NULL,
  system   TEXT NOT NULL,
  scenario TEXT NOT NULL,
  work     TEXT NOT NULL,               -- hash of what the cell was to hold
  invalid  INTEGER NOT NULL,            -- results that are neither valid nor skipped
  PRIMARY KEY (system, scenario, kind, judge)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS reported (   -- the last report, until something is recorded
  id      INTEGER PRIMARY KEY,
  state   TEXT NOT NULL,                -- hash of what it depends on beside answers and verdicts
  summary TEXT NOT NULL                 -- as printed
);
