CREATE TABLE IF NOT EXISTS fleet_providers (   -- what runs ask for
  queue    text PRIMARY KEY,                   -- River's queue of these calls
  name     text NOT NULL,                      -- as in compqa.yaml
  config   json NOT NULL,                      -- no key: it names an environment variable
  version  text NOT NULL,                      -- of the program that asks
  used     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS fleet_runs (
  run     text PRIMARY KEY,
  host    text NOT NULL,
  version text NOT NULL,
  seen    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS fleet_results (
  run   text NOT NULL,
  key   text NOT NULL,                         -- of the call
  job   bigint NOT NULL,
  reply bytea NOT NULL,                        -- JSON
  PRIMARY KEY (run, job)
);

CREATE INDEX IF NOT EXISTS fleet_results_of ON fleet_results (run, key);

CREATE TABLE IF NOT EXISTS fleet_workers (
  id        text PRIMARY KEY,
  host      text NOT NULL,
  pid       integer NOT NULL,
  version   text NOT NULL,
  started   timestamptz NOT NULL DEFAULT now(),
  seen      timestamptz NOT NULL DEFAULT now(),
  providers text NOT NULL,                     -- that it takes calls of
  refused   text NOT NULL,                     -- why it takes none of others
  in_flight integer NOT NULL,
  done      bigint NOT NULL,
  failed    bigint NOT NULL,                   -- of these, without a valid reply
  per_minute real NOT NULL,
  drain     boolean NOT NULL DEFAULT false     -- it is to finish its calls and end
);

CREATE TABLE IF NOT EXISTS fleet_limits (      -- one row for each provider and key
  key      text PRIMARY KEY,                   -- of the address and the API key, hashed
  requests timestamptz NOT NULL DEFAULT now(), -- when the next request is due (GCRA)
  tokens   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS fleet_slots (       -- requests in flight that a worker may have
  key    text NOT NULL,
  worker text NOT NULL,
  slots  integer NOT NULL,
  PRIMARY KEY (key, worker)
);
