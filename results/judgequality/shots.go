package judgequality

import (
	"cmp"
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A ShotRow is the agreement of a model on totals, by the number and kind of examples in its prompt. This is the few-shot question of the
// CompQA paper. The row is one of shots.csv.
type ShotRow struct {
	Model          string       `csv:"model"`
	Shots          int          `csv:"examples"`
	Kind           string       `csv:"kind"` // made-up, people, or "-" without examples
	Judge          string       `csv:"judge"`
	Reference      string       `csv:"reference"`
	N              int          `csv:"n"`
	AlphaInterval  stats.Figure `csv:"alpha_interval,alpha_interval_low,alpha_interval_high"`
	Spearman       stats.Figure `csv:"spearman,spearman_low,spearman_high"`
	MeanDifference stats.Figure `csv:"mean_difference"` // judge - reference, points
}

// ShotsTable has the agreement of judges by the examples in their prompts.
var ShotsTable = table.Def[ShotRow]{File: "shots.csv"}

// defaultShots is the number of examples in the built-in rubric, which a judge uses if it declares no number.
const defaultShots = 2

// shots returns the agreement of judges that ask the same model with different examples. Judges whose prompts differ in anything else that
// the configuration declares are not compared.
func (t *Tables) shots() (rows []ShotRow) {
	type prompt struct{ provider, model, ask string }
	by := map[prompt][]ShotRow{}
	for _, d := range t.Declared.Judges {
		if d.Model == "" || d.Template != "" || t.JudgeNamed(d.Name) < 0 {
			continue
		}
		r := ShotRow{Model: d.Model, Kind: cmp.Or(d.ExamplesFrom, "made-up"), Judge: d.Name}
		switch {
		case d.Examples != nil:
			r.Shots = *d.Examples
		case t.Rubric.BuiltIn():
			r.Shots = defaultShots
		}
		if r.Shots == 0 {
			r.Kind = "-"
		}
		asked := prompt{d.Provider, d.Model, cmp.Or(d.Ask, "all")}
		if !slices.ContainsFunc(by[asked], func(known ShotRow) bool { return known.Judge == d.Name }) {
			by[asked] = append(by[asked], r)
		}
	}
	for _, shots := range by {
		if !slices.ContainsFunc(shots, func(r ShotRow) bool { return r.Shots != shots[0].Shots || r.Kind != shots[0].Kind }) {
			continue
		}
		for _, r := range shots {
			for _, a := range t.Agreements {
				if a.Judge == r.Judge && a.Kind == dataset.KindOfJudge && a.Level == dataset.LevelFinal {
					r.Reference = a.Reference
					r.N = a.N
					r.AlphaInterval = a.AlphaInterval
					r.Spearman = a.Spearman
					r.MeanDifference = a.MeanDifference
					rows = append(rows, r)
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b ShotRow) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Reference, b.Reference), cmp.Compare(a.Shots, b.Shots),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Judge, b.Judge))
	})
	return rows
}

// ShotSections returns the table of examples, or nil if no model has judges with different examples.
func (t *Tables) ShotSections() []table.Section {
	if len(t.Shots) == 0 {
		return nil
	}
	return []table.Section{{ID: "shots", Title: "By number and kind of examples",
		About: "Agreement on totals of the same model with different examples in its prompt: made up, or score sheets of people on other " +
			"objects.",
		Table: t.Marked(table.From(4, t.Shots, "model", "judge", "kind=examples", "reference=against", "examples=number", "n",
			"alpha_interval:3=alpha (interval)", "spearman:3=Spearman", "mean_difference"), 1, 3)}}
}
