-- What became of judges' scores when answers were spoilt on purpose. Reports do
-- without it.

CREATE TABLE IF NOT EXISTS attacks (
  judge    TEXT NOT NULL,
  attack   TEXT NOT NULL,
  position INTEGER NOT NULL,            -- of the attack in tables
  about    TEXT NOT NULL,               -- what it does
  spoils   INTEGER NOT NULL,            -- 1: the answer is worse for it
  answer   TEXT NOT NULL,
  pair     TEXT NOT NULL,
  before   REAL NOT NULL,               -- total points
  after    REAL NOT NULL,
  work     TEXT NOT NULL,               -- hash of the judges that were attacked
  PRIMARY KEY (judge, attack, answer)
) WITHOUT ROWID;
