-- What parties made of answers and pairs. All kinds of results are rows of one table. For who reads a record there is a view of each
-- kind, with the columns that this kind has.

CREATE TABLE results (
  party       TEXT NOT NULL,            -- the judge; of a grade, the grader
  kind        TEXT NOT NULL,            -- verdict, label, preference, sample, grade
  subject     TEXT NOT NULL,            -- id of the answer or the pair
  variant     TEXT NOT NULL DEFAULT '', -- of labels: claims, rows, partition, consistent, support; of preferences and grades: the method; of samples: repeated, correct hint, incorrect hint
  "order"     TEXT NOT NULL DEFAULT '', -- in which the pair was shown: ab, ba
  judge       TEXT NOT NULL DEFAULT '', -- of a grade: who gave the rationale
  repeat      INTEGER NOT NULL DEFAULT 0, -- of verdicts and samples
  fingerprint TEXT NOT NULL DEFAULT '', -- of results about pairs: hash of all that they depend on
  status      TEXT NOT NULL,
  choice      TEXT NOT NULL DEFAULT '', -- of preferences and samples: a, b, tie
  total       REAL,                     -- of a verdict
  content     TEXT NOT NULL DEFAULT '', -- JSON: points by criterion; data.Claims, data.Labels; how a preference came about; points of a grade
  reason      TEXT NOT NULL DEFAULT '', -- why there is none
  raw         TEXT NOT NULL DEFAULT '', -- the words of the party: the reply, the rationale
  calls       TEXT NOT NULL DEFAULT '[]', -- ids of the calls that it was read from, JSON
  origin      TEXT NOT NULL DEFAULT '', -- the import that a verdict came with; "" without one
  PRIMARY KEY (party, kind, subject, variant, "order", judge, repeat),
  CHECK (kind = 'verdict' OR kind = 'label' OR kind = 'preference' OR kind = 'sample' OR kind = 'grade'), -- IN makes a table for each row
  CHECK (kind <> 'grade' OR json_valid(content))
) STRICT;

CREATE INDEX labels_of ON results (subject) WHERE kind = 'label';

CREATE VIEW verdicts AS
  SELECT party AS judge, subject AS answer, repeat, status, content AS scores, total, reason, raw, calls, origin
  FROM results WHERE results.kind = 'verdict';

CREATE VIEW labels AS                   -- what judges say about an answer that is not points
  SELECT subject AS answer, party AS judge, variant AS kind, status, content AS labels, reason, raw, calls
  FROM results WHERE results.kind = 'label';

CREATE VIEW preferences AS              -- id: the pair's
  SELECT subject AS id, party AS judge, variant AS method, "order", fingerprint, status, reason, choice, calls, raw AS rationale,
    content AS detail
  FROM results WHERE results.kind = 'preference';

CREATE VIEW samples AS                  -- judgments that were sampled for learning from
  SELECT subject AS id, party AS judge, "order", variant AS source, repeat AS sample, fingerprint, status, choice, raw AS text, reason, calls
  FROM results WHERE results.kind = 'sample';

CREATE VIEW grades AS                   -- of rationales, by a model or by people; correctness is 1 to 5, consistency 1 to 3
  SELECT subject AS id, results.judge, variant AS method, "order", party AS grader, fingerprint, status, content ->> 'right' AS right,
    content ->> 'correctness' AS correctness, content ->> 'consistency' AS consistency, reason, calls
  FROM results WHERE results.kind = 'grade';
