package llm

import (
	"net/http"
	"time"
)

// ServerTime returns the time of the server's clock, from the Date header of its reply (RFC 9110, 6.6.1), or
// now without one. Times in other headers refer to that clock, and either clock may be wrong.
func ServerTime(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
