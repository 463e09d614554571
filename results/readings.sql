-- What was measured in the answers' texts beside their length. Reports do without
-- it, as records of the first programs must.

CREATE TABLE IF NOT EXISTS readings (
  answer    TEXT PRIMARY KEY,
  citations INTEGER NOT NULL,           -- numbers of arguments in square brackets
  unknown   INTEGER NOT NULL,           -- of these, numbers that no argument of the question has
  generated INTEGER NOT NULL,           -- [generated] tags
  choice    TEXT NOT NULL,              -- object1, object2 (of the answer's two), none, "" for no choice
  cited1    INTEGER NOT NULL,           -- sentences with a citation that speak for object1
  cited2    INTEGER NOT NULL,
  made1     INTEGER NOT NULL,           -- sentences with a [generated] tag alone that speak for object1
  made2     INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS readings_go AFTER DELETE ON answers BEGIN
  DELETE FROM readings WHERE answer = old.id;
END;
