package llm

import (
	"net/http"
	"time"
)

// serverTime is the time by the server's own clock, where its reply tells it
// (RFC 9110, 6.6.1), and else by ours: times that it names are by its clock, and
// either may be wrong.
func ServerTime(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
