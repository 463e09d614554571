-- Batches at providers, from before they are submitted until their replies are on
-- record as calls. A run without any has no use for it.

CREATE TABLE IF NOT EXISTS batches (
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
) WITHOUT ROWID;
