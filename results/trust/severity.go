package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/ranking"
)

// AboutSeverity explains the table of severities to its readers.
const AboutSeverity = "The judge as one rater among people. Severity: logits of a rating-scale model (many-facet Rasch), from people's " +
	"mean; above 0 stricter, below 0 milder. Outfit and infit: 1 where the values follow the model, above 1.3 more random than those of the " +
	"others; of items that three or more rated."

// Severities says how strict the judge of a decision and people are, in logits of a rating-scale model, and whose values are random.
type Severities struct {
	Rows  []raters.Severity // the first row is the judge's
	panel ranking.Panel
}

// severities fits the model to the judge and people. If the study has a doubt, the result is a single row with the doubt.
func (s Study) severities() (all Severities) {
	switch {
	case len(s.PeopleRaters) == 0:
	case s.Doubt != "":
		all.Rows = []raters.Severity{raters.Unmeasured(s.Judge, s.Criterion, stats.Reason(s.Doubt))}
	default:
		s.Table.Criterion = s.Criterion
		all.Rows, all.panel = s.Table.Severities(s.Judge, append([]raters.Rater{s.JudgeRater}, s.PeopleRaters...))
	}
	return all
}

// outsideRange returns a clause on how much milder than the mildest person the judge is, or how much stricter than the strictest. It
// returns "" if the judge is not surely outside of people's range.
func (s Severities) outsideRange() string {
	if len(s.Rows) < 2 || s.Rows[0].Kind != raters.Judge || !s.Rows[0].Severity.Known {
		return ""
	}
	var people []int // rows of people with a number
	for k, row := range s.Rows {
		if k > 0 && row.Severity.Known {
			people = append(people, k)
		}
	}
	bySeverity := func(a, b int) int { return cmp.Compare(s.Rows[a].Severity.Value, s.Rows[b].Severity.Value) }
	distance := func(d stats.Estimate, how, who string) string {
		if len(people) == 1 {
			who = "person"
		}
		return fmt.Sprintf("%s logits %s than the %s", stats.Number(math.Abs(d.Value)).Text(2), how, who)
	}
	if d, err := s.panel.Difference(0, slices.MinFunc(people, bySeverity)); err == nil && d.High < 0 { // d is judge minus person
		return distance(d, "milder", "mildest person")
	}
	if d, err := s.panel.Difference(0, slices.MaxFunc(people, bySeverity)); err == nil && d.Low > 0 {
		return distance(d, "stricter", "strictest person")
	}
	return ""
}

// random returns a sentence that the judge's values are more random than people's, which no shift repairs. It returns "" if this is not
// sure.
func (d *Decision) random() string {
	rows := d.Severities.Rows
	if d.Answer == Yes || len(rows) == 0 || rows[0].Kind != raters.Judge || !rows[0].IsRandom() {
		return ""
	}
	outfit := rows[0].Outfit.Text(2)
	if d.Repair {
		return fmt.Sprintf(" Even then its values are more random than people's (outfit %s).", outfit)
	}
	return fmt.Sprintf(" On %s its values are more random than people's (outfit %s): no shift repairs that.", d.Criterion, outfit)
}
