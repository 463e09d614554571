package bench

import (
	"fmt"
	"math"

	"compqa/data"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// The share of people who do not look that the checks of a study should find; below enoughFound a change is proposed.
const (
	enoughFound = .9
	wellFound   = .95
	mostGold    = 12 // known items of a person that are proposed
)

// whatChecksFind says what the planned checks find, and what to change where this is little.
func (f *studySetup) whatChecksFind(items []project.Item) (sentences []string) {
	p := &project.Project{Settings: f.Settings, Items: items}
	plan, gold := pages.PlannedChecks(p)
	found := plan.Found()
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
			math.Floor(100*better.Found()))
		if better.Gold > gold.Items {
			advice += fmt.Sprintf(", with %d known items in the file of gold", better.Gold)
		}
		break
	}
	return append(sentences, "Warning: this is little; "+advice)
}
