package bench

import (
	"fmt"
	"math"

	"compqa/data"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// The checks of a study should find the share enoughFound of people who answer without looking. Below it, a change is proposed that finds
// the share wellFound.
const (
	enoughFound = .9
	wellFound   = .95
	mostGold    = 12 // the largest number of known items per person that is proposed
)

// whatChecksFind says in sentences what share of careless people the planned checks find, and what to change if the share is low.
func (f *studySetup) whatChecksFind(items []project.Item) (sentences []string) {
	p := &project.Project{Settings: f.Settings, Items: items}
	plan, gold := pages.PlannedChecks(p)
	found := plan.DetectedShare()
	sentences = append(sentences, fmt.Sprintf("Checks of each person: %s, %s twice and %s; they find %.0f %% of people who click "+
		"without looking",
		data.Plural(plan.Gold, "known item", "known items"), data.Plural(plan.Repeats, "item", "items"),
		data.Plural(plan.Attention, "attention item", "attention items"), math.Floor(100*found)))
	if f.Gold > 0 && gold.Alike {
		sentences = append(sentences, "Warning: all known items have the same sheet, which finds nobody who always chooses it: "+
			"take known items with different values")
	}
	if found >= enoughFound {
		return sentences
	}
	advice := "no change of at most 12 items finds 95 %"
	for _, known := range []int{gold.Items, mostGold} {
		better, ok := plan.Cheapest(wellFound, known, project.MostAttention)
		if !ok {
			continue
		}
		advice = fmt.Sprintf("gold-each: %d, repeats: %d, attention: %d finds %.0f %%", better.Gold, better.Repeats, better.Attention,
			math.Floor(100*better.DetectedShare()))
		if better.Gold > gold.Items {
			advice += fmt.Sprintf(", with %d known items in the file of gold", better.Gold)
		}
		break
	}
	return append(sentences, "Warning: this is little; "+advice)
}
