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

// ErrWouldAsk ends a call that an estimate counts and does not make.
var ErrWouldAsk = errors.New("it would be called")

// typicalText is as long as a comparison or a justification typically is.
const typicalText = "Both address the point, yet one supports it with measured data and a source, whereas its rival only mentions " +
	"it in passing."

// Typically answers the calls that ask does not make with typical replies, so that all stages of a method are seen: a table has
// MostAspects rows, and no two samples are equal. It is for methods that choose between A and B, or by Con-J's form.
func Typically(ask Ask) Ask {
	return func(ctx context.Context, role Role, sample int, req llm.Request) (llm.Reply, error) {
		reply, err := ask(ctx, role, sample, req)
		if errors.Is(err, ErrWouldAsk) {
			return llm.Reply{Text: typicalReply(role, sample, req)}, nil
		}
		return reply, err
	}
}

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

// Typical reports whether a method's stages can be estimated with typical replies.
func (m Method) Typical() bool { return m.Live() && !m.Scores && !m.Lists && !m.Hinted }
