package llm

import (
	"net/http"
	"time"
)

// ServerTime returns the time of the server's clock, which the Date header of its reply has (RFC 9110, 6.6.1). Without the header it
// returns now. Times in other headers refer to the server's clock, which may differ from ours.
func ServerTime(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
