package dataset

import (
	"fmt"
	"strings"

	"compqa/data"
)

// mostUnread is the largest share of a judge's verdicts that may be unreadable without a warning.
const mostUnread = 0.02

// Replies counts the verdicts or choices of a judge by status.
type Replies struct {
	Judge    string
	Statuses map[data.Status]int
}

// Unreadable returns the number of replies that are not in the requested form.
func Unreadable(statuses map[data.Status]int) (n int) {
	for status, count := range statuses {
		if status.Unreadable() {
			n += count
		}
	}
	return n
}

// UnreadText names the judges with more than 2 % of replies that are not in the requested form, with their number and share. The share is
// of all verdicts that were asked for; skipped and pending ones do not count. It returns "" without such a judge.
func UnreadText(all []Replies) string {
	var unread []string
	for _, r := range all {
		n := Unreadable(r.Statuses)
		asked := 0
		for status, count := range r.Statuses {
			if status == data.Skipped || status == data.Pending {
				continue
			}
			asked += count
		}
		if float64(n) > mostUnread*float64(asked) {
			unread = append(unread, fmt.Sprintf("%d of %d by %s (%.1f %%)", n, asked, r.Judge, 100*float64(n)/float64(asked)))
		}
	}
	if unread == nil {
		return ""
	}
	return "Verdicts that could not be read: " + strings.Join(unread, ", ") + "."
}
