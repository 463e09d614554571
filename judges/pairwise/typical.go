package pairwise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// ErrWouldAsk is the error of a call that an estimate only counts.
var ErrWouldAsk = errors.New("it would be called")

// typicalText has the length of a typical comparison or justification.
const typicalText = "Both address the point, yet one supports it with measured data and a source, whereas its rival only mentions " +
	"it in passing."

// Typically returns an Ask for estimates. If ask returns ErrWouldAsk, it replies with a typical text, so that the later stages of a method
// are counted, too. A table has MostAspects rows, and no two samples are equal. It is for methods that choose between A and B, or in
// Con-J's form.
func Typically(ask Ask) Ask {
	return func(ctx context.Context, role Role, sample int, req llm.Request) (llm.Reply, error) {
		reply, err := ask(ctx, role, sample, req)
		if errors.Is(err, ErrWouldAsk) {
			return llm.Reply{Text: typicalReply(role, sample, req)}, nil
		}
		return reply, err
	}
}

// typicalReply returns a reply that the reader of this role accepts.
func typicalReply(role Role, sample int, req llm.Request) string {
	switch {
	case role == RoleAspects:
		names := []string{"evidence", "clarity", "completeness", "relevance", "concision"}
		return "Reasoning: " + typicalText + "\nAspects:\n- " + strings.Join(names, "\n- ")
	case role == RoleComparisons:
		cells := data.AspectRow{OnlyA: fmt.Sprintf("measured data, version %d", sample), Both: "name the point", OnlyB: "a short mention"}
		return Table(slices.Repeat([]data.AspectRow{cells}, MostAspects)).json()
	case role == RoleComparator:
		return "More consistent: A\nJustification: " + typicalText
	case bytes.Contains(req.Schema, []byte(`"rationale"`)):
		return fmt.Sprintf(`{"rationale": %q, "better_answer": 1}`, typicalText)
	case bytes.Contains(req.Schema, []byte(`"better_answer"`)):
		return `{"better_answer": 1}`
	}
	return "Comparison: " + typicalText + "\nPreferred: A"
}

// Typical reports whether the calls of a method can be estimated with Typically.
func (m Method) Typical() bool { return m.Live() && !m.Scores && !m.Lists && !m.Hinted }
