package faithful

import (
	"context"
	"fmt"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/surface"
	"compqa/rubric"
)

// The criteria that an answer loses when too many of its claims are contradicted.
const (
	factual         = "11" // "nothing is made up, and nothing contradicts common knowledge"
	followsMajority = "14" // "the final answer follows from the majority of the arguments"
)

// Grounded is the judge "surface+grounded". It gives the points of the judge surface, but none for criteria 11 and 14 if the answer is
// flagged, that is, contradicts too many arguments (see data.Claims). The rubric gives none for "grave factual errors", and none for a
// final answer that does not follow from the arguments. The two criteria were chosen before any attack was tried; the threshold of the flag
// was chosen on attacked answers to half of the questions (TestNoticed). A question without arguments never leads to a flag.
var Grounded = scoring.Embedded{
	Name: surface.Name + "+grounded", Kind: scoring.KindEmbedded,
	About:     "like surface, but without points for facts and conclusion if the question's arguments contradict the answer; English only",
	TrainedOn: data.ReleaseRows, HeldOut: true, Arguments: true, English: true,
	Version: Version<<56 ^ surface.Embedded.Version,
	New: func(r rubric.Rubric) (scoring.Judge, error) {
		form, err := surface.Embedded.New(r)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, q data.Question, a data.Answer, ask scoring.Ask) data.Verdict {
			v := form(ctx, q, a, ask)
			if v.Scores != nil && Read(q, a.Text).Flagged() {
				v.Scores[factual] = 0
				v.Scores[followsMajority] = 0
			}
			return v
		}, nil
	},
	Explain: func(q data.Question, a data.Answer) []scoring.Finding {
		findings := surface.Embedded.Explain(q, a)
		c := Read(q, a.Text)
		supported, contradicted, unsupported := c.Count()
		for i := range findings {
			if f := &findings[i]; f.Criterion == factual || f.Criterion == followsMajority {
				f.Facts = fmt.Sprintf("claims: %d supported, %d contradicted, %d not in the arguments; %s", supported, contradicted, unsupported,
					f.Facts)
				if c.Flagged() {
					f.Points = 0
				}
			}
		}
		return findings
	},
}
