// Package store is the record of a run: one SQLite file, run.db.
//
// Everything is recorded before anything is computed from it. An answer or a verdict names the calls that it rests on, and a
// call has its attempts; a raw reply is stored before it is parsed. One process writes; others may read at the same time.
//
// A missing answer or verdict is a row with a status and a reason, never a number.
package store
