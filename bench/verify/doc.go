// Package verify recomputes what an export says from what it holds: the embedded judges
// are run again, and the calls of live systems and judges are answered from the recorded
// replies.
package verify
