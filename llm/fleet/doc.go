// Package fleet makes calls on other machines. A run puts its calls on a queue in PostgreSQL
// (River), workers make them with package client, and the replies come back to the run, which
// records them as its own. Keys stay in the environments of the workers.
//
// Guarantees:
//   - A call is a job, unique by run and call key. A worker writes its reply and completes the
//     job in one transaction, so a reply exists exactly when its job is done.
//   - A reply stays in the database until the run has recorded it. A run that was killed finds
//     it when it asks for the same call again, on any machine with a copy of the record.
//   - A worker is alive as long as it renews its row in fleet_workers. If it does not do so for
//     DeadAfter, other workers get its jobs: at most the calls in flight are made twice.
//   - rpm, tpm and concurrency of a provider hold over all workers with the same key.
package fleet
