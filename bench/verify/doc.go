// Package verify recomputes the results of an export from its data: the embedded judges
// are run again, and the calls of live systems and judges are answered from the recorded
// replies.
package verify
