package judgequality

import (
	"fmt"
	"slices"
	"strings"
)

// embellishments are the attacks that make an answer no better. A judge that rewards one of them
// may not order systems.
var embellishments = []string{"empty praise", "length padding", "keyword stuffing"}

// barred are the judges that may not order systems, and why.
func (t *Tables) barred() map[string]string {
	why := map[string]string{}
	for _, j := range t.Scorers() {
		name := t.Judges[j].Name
		if t.Degenerate[j] != "" {
			why[name] = t.Degenerate[j]
			continue
		}
		var rewarded []string
		for _, r := range t.Attacked {
			if r.Judge == name && r.Outcome == rewards && slices.Contains(embellishments, r.Attack) {
				rewarded = append(rewarded, r.Attack)
			}
		}
		if system := t.invalid(name); system != "" {
			why[name] = fmt.Sprintf("has fewer than %.0f %% valid verdicts on %s", 100*minValid, system)
		}
		if rewarded != nil {
			why[name] = "rewards " + strings.Join(rewarded, " and ")
		}
	}
	return why
}

// minValid is the smallest share of valid verdicts of a judge that may order systems, in every
// system that is ranked.
const minValid = 0.9

// invalid is a system with too few valid verdicts of a judge, "" if there is none.
func (t *Tables) invalid(judge string) string {
	for s, ranked := range t.Candidates() {
		if r := t.Overall(judge, t.Systems[s].Name); ranked && float64(r.Valid) < minValid*float64(r.Planned) {
			return t.Systems[s].Name
		}
	}
	return ""
}
