package config

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/judges/text"
	"compqa/rubric"
)

const SurfaceName = "surface"

// An Embedded judge needs no model.
type Embedded struct {
	Name, Kind, About string
	version           int // part of the identity of its verdicts: raised when they change
	Build             func(rubric.Rubric) (scoring.Judge, error)
	Explain           func(data.Question, data.Answer) []rules.Finding
}

// Identity stands for all that its verdicts depend on beside the answers.
func (e Embedded) Identity() string { return fmt.Sprintf("embedded %s %d", e.Name, e.version) }

// EmbeddedJudges are the judges of provider embedded, by name.
var EmbeddedJudges = []Embedded{
	{SurfaceName, KindEmbedded, "what people would score by the look of the answer: it reads form, not truth", surface.Version(), surface.New,
		func(q data.Question, a data.Answer) []rules.Finding { return surface.Explain(q, a.Text) }},
	{"rules", KindEmbedded, "plain text measurements: a floor with meaning, not a truth", rules.Version, rules.New,
		func(q data.Question, a data.Answer) []rules.Finding {
			_, findings := rules.Score(text.Measure(q, a.Text))
			return findings
		}},
	{"constant", KindFloor, "full marks for everything: who does not beat it has shown nothing", 1, judges.NewConstant, Unexplained},
}

// Unexplained is for judges whose scores say all there is to say.
func Unexplained(data.Question, data.Answer) []rules.Finding { return nil }

func EmbeddedNamed(name string) (Embedded, bool) {
	i := slices.IndexFunc(EmbeddedJudges, func(e Embedded) bool { return e.Name == name })
	if i < 0 {
		return Embedded{}, false
	}
	return EmbeddedJudges[i], true
}

func EmbeddedNames() string {
	names := make([]string, len(EmbeddedJudges))
	for i, e := range EmbeddedJudges {
		names[i] = e.Name
	}
	return strings.Join(names, ", ")
}
