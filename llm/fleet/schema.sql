CREATE TABLE IF NOT EXISTS fleet_providers (   -- what runs ask for
  queue    text PRIMARY KEY,                   -- River's queue of these calls
  name     text NOT NULL,                      -- as in compqa.yaml; workers have its address and key
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
  run   text NOT NULL,                         -- ROLE/ID
  key   text NOT NULL,                         -- of the call
  job   bigint NOT NULL,
  reply bytea NOT NULL,                        -- JSON, encrypted with the fleet's key
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
  queues    text[] NOT NULL,                   -- that it takes calls of
  providers text NOT NULL,                     -- their names
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
