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
		for s, ranked := range t.Candidates() {
			r := t.Overall(name, t.Systems[s].Name)
			if ranked && why[name] == "" && float64(r.Valid) < minValid*float64(r.Planned) {
				why[name] = fmt.Sprintf("has fewer than %.0f %% valid verdicts on %s", 100*minValid, r.System)
			}
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
