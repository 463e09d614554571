package dataset

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/stats"
)

const (
	// minDegenerate is the least number of verdicts (or unreadable replies) for which a judge can be called degenerate.
	minDegenerate = 20
	// sameSheets is the least share of equal score sheets of a degenerate judge. It must be above ½, because the majority vote in
	// degenerate finds only such sheets.
	sameSheets = 0.8
	// MinShared and MinQuestions are the least numbers of shared answers and of their object pairs for a statement about several judges.
	MinShared, MinQuestions = 30, 10
)

// degenerate says, by judge, why its verdicts tell nothing about the answers, or "" if they may. The reasons are that all totals are equal,
// that most score sheets are equal, or that no reply is a score sheet. People's scores are not needed to see this. Floors are constant by
// design, and people are never called degenerate.
func (x *Dataset) degenerate() []string {
	why := make([]string, len(x.Judges))
	for _, j := range x.Scorers() {
		sheets := x.Valid(j)
		if len(sheets) < minDegenerate {
			n := len(data.Where(x.SheetsOf(j), func(s data.Given) bool { return s.Status.Unreadable() })) // a failed call has no reply
			if n >= minDegenerate && len(sheets) == 0 {
				why[j] = fmt.Sprintf("gives no score sheet in %d replies", n)
			}
			continue
		}
		var most []float64 // candidate for the scores of more than half of the sheets (Boyer and Moore, 1991)
		votes := 0
		for _, s := range sheets {
			if votes == 0 {
				most = s.Scores
			}
			if slices.Equal(s.Scores, most) {
				votes++
			} else {
				votes--
			}
		}
		equal := len(data.Where(sheets, func(s *data.Given) bool { return slices.Equal(s.Scores, most) }))
		constant := !slices.ContainsFunc(sheets, func(s *data.Given) bool { return s.Total != sheets[0].Total })
		switch share := float64(equal) / float64(len(sheets)); {
		case constant:
			why[j] = fmt.Sprintf("gives %s points to every answer", stats.Shortest(sheets[0].Total))
		case share >= sameSheets:
			why[j] = fmt.Sprintf("gives the same score sheet to %.0f %% of all answers", 100*share)
		}
	}
	return why
}

// JudgeNamed returns the index of a judge, or -1 if there is none.
func (run *Run) JudgeNamed(name string) int { return store.Named(run.Judges, name) }

// Lacks returns an error that says what is missing for a statement about several judges with these totals. It returns nil if the judges
// share enough answers.
func (x *Dataset) Lacks(totals ...AnswerTotals) error {
	var questions []int // of the answers that all judges scored
	for a, question := range x.Question {
		if !slices.ContainsFunc(totals, func(t AnswerTotals) bool { _, ok := t.Of(a); return !ok }) {
			questions = append(questions, question)
		}
	}
	return TooFew(len(questions), "answers", len(data.Among(questions)))
}

// TooFew returns an error (a stats.NotEnough) if n shared answers or pairs, of a number of questions, are too few for a statement about
// several judges. Else it returns nil. what is "answers" or "pairs".
func TooFew(n int, what string, questions int) error {
	if n >= MinShared && questions >= MinQuestions {
		return nil
	}
	return stats.NotEnough(fmt.Sprintf("not enough data: %s of %s; at least %d of %d are needed",
		data.Plural(n, "shared "+strings.TrimSuffix(what, "s"), "shared "+what),
		data.Plural(questions, "question", "questions"), MinShared, MinQuestions))
}

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
