package paper

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
)

// An object is a JSON object of reproduce.json. A null figure is undefined for these data. Files are systems in a scenario, with the
// release's names: "gpt4_scenario_3", "cam".
type object = map[string]any

// A comparison compares the sheets of two raters: the scores on all criteria together (separate), the totals (final), and each criterion in
// the rubric's order. If one rater is a judge and the other people's mean, rule applies to the human rows. Verdicts must always be valid by
// RuleStrict, because a score above the maximum of its criterion tells nothing about agreement.
type comparison struct {
	n            int
	levels       map[string]levelFigures // by dataset.LevelSeparate and dataset.LevelFinal
	alphas, rhos []*float64              // by criterion

	judge    string
	rule     Rule
	unjoined int // human rows whose answer was not found
	invalid  int // human rows whose answer has no valid verdict
}

// levelFigures has the agreement of two raters. MeanDifference is judge minus people.
type levelFigures struct {
	AlphaInterval  *float64 `json:"alpha_interval"`
	AlphaOrdinal   *float64 `json:"alpha_ordinal"`
	AlphaNominal   *float64 `json:"alpha_nominal"`
	Pearson        *float64 `json:"pearson"`
	Spearman       *float64 `json:"spearman"`
	KendallTauB    *float64 `json:"kendall_tau_b"`
	MeanDifference *float64 `json:"mean_difference"`
}

// level measures the agreement of the two raters of a table.
func (r *Reproduction) level(t raters.Table) levelFigures {
	row := t.Pair(raters.Options{Figures: raters.Alpha | raters.Levels | raters.Ranks | raters.Differences, Intervals: raters.NoIntervals})
	r.Value(0, row.Fault())
	number := func(f stats.Figure) *float64 { return f.Point().Pointer() }
	return levelFigures{number(row.Alpha), number(row.AlphaOrdinal), number(row.AlphaNominal), number(row.Pearson), number(row.Spearman),
		number(row.KendallTauB), number(row.Difference)}
}

func (r *Reproduction) compared(pairs raters.Sheets) comparison {
	criteria := pairs.Criteria(len(r.rubric.Criteria))
	f := comparison{n: len(pairs.Judge), levels: map[string]levelFigures{
		dataset.LevelSeparate: r.level(raters.Pooled(dataset.LevelSeparate, criteria)),
		dataset.LevelFinal:    r.level(raters.Sums(dataset.LevelFinal, criteria))}}
	for _, t := range criteria {
		figures := r.level(t)
		f.alphas = append(f.alphas, figures.AlphaInterval)
		f.rhos = append(f.rhos, figures.Spearman)
	}
	return f
}

// constantJudge gives full marks to every answer. A useful judge must agree better with people.
const constantJudge = "constant"

// againstPeople compares each judge with people by every rule, and the constant judge by RulePublished and RuleStrict.
func (r *Reproduction) againstPeople() (all []comparison) {
	for _, rule := range allRules {
		people, judges := r.paired, slices.Clone(r.judges)
		if rule != RulePairs {
			people = r.counted(data.Human, rule, everywhere)
			judges = append(judges, constantJudge)
		}
		for _, judge := range judges {
			// each human row is a unit, even if two rows are about the same answer
			var pairs raters.Sheets
			unjoined := 0
			invalid := 0
			verdicts := map[string][]float64{}
			for _, s := range r.counted(judge, RuleStrict, everywhere) {
				verdicts[s.row.ID] = s.points
			}
			for _, person := range people {
				verdict := verdicts[person.row.ID]
				switch {
				case judge == constantJudge:
					pairs.Add(person.points, r.rubric.Points(r.rubric.Full()), 0)
				case person.row.ID == "":
					unjoined++
				case verdict == nil:
					invalid++
				default:
					pairs.Add(person.points, verdict, 0)
				}
			}
			a := r.compared(pairs)
			a.judge = judge
			a.rule = rule
			a.unjoined = unjoined
			a.invalid = invalid
			all = append(all, a)
		}
	}
	return all
}

// figures returns the contents of reproduce.json. Judges are compared with every human row (see comparison).
func (r *Reproduction) figures() object {
	files := map[string]int{}
	for _, a := range r.release.Answers {
		files[sourceOf(a).key()]++
	}
	table5 := object{}
	table3 := object{}
	invalid := object{}
	for _, judge := range r.judges {
		sources := r.sourcesOf(judge)
		byFile := object{}
		bySystem := object{}
		for _, s := range sources {
			byFile[s.key()] = object{"published_rule": r.points(judge, RulePublished, from(s)), "strict": r.points(judge, RuleStrict, from(s)),
				"planned": len(data.Where(r.sheets[judge], from(s)))}
			// two means of a system over its scenarios, by the published rule: of all its answers together, and of the scenarios' means as
			// in the paper's Table 3
			origins := scenariosOf(s.system, sources)
			mean := r.meanOfSources(judge, RulePublished, origins)
			pooled := r.points(judge, RulePublished, from(origins...))
			bySystem[s.system] = object{"mean_pooled": pooled.Mean, "mean_of_file_means": mean.Mean, "mean_of_file_sds": mean.SD,
				"sd_pooled": pooled.SD}
		}
		planned := len(r.sheets[judge])
		table5[judge] = byFile
		table3[judge] = bySystem
		invalid[judge] = object{"missing_or_malformed": planned - len(r.counted(judge, RulePublished, everywhere)),
			"not_strictly_valid": planned - len(r.counted(judge, RuleStrict, everywhere)), "planned": planned}
	}
	people := r.counted(data.Human, RulePublished, everywhere)
	byFile := object{}
	for _, s := range r.sourcesOf(data.Human) {
		byFile[s.key()] = r.points(data.Human, RulePublished, from(s))
	}
	criteria := make([]*float64, len(r.rubric.Criteria))
	for i := range criteria {
		criteria[i] = r.Moments(data.Each(people, func(s scoreSheet) float64 { return s.points[i] })).Mean
	}
	separate := r.annotators.levels[dataset.LevelSeparate]
	final := r.annotators.levels[dataset.LevelFinal]
	f := object{"answers": object{"total": len(r.release.Answers), "per_file": files}, "table5": table5, "table3": table3,
		"invalid": invalid,
		"human": object{"n": len(people), "table5": byFile, "mean_per_criterion": criteria,
			"table4": object{"with_aspect": r.points(data.Human, RulePublished, withAspect(true)),
				"without_aspect": r.points(data.Human, RulePublished, withAspect(false))},
			"out_of_range_rows": len(people) - len(r.counted(data.Human, RuleStrict, everywhere))},
		"human_human": object{"n_answers": r.annotators.n, "alpha_per_criterion_interval": r.annotators.alphas,
			"alpha_separate": object{"nominal": separate.AlphaNominal, "ordinal": separate.AlphaOrdinal, "interval": separate.AlphaInterval},
			"alpha_final":    object{"ordinal": final.AlphaOrdinal, "interval": final.AlphaInterval}}}
	judged := map[Rule]object{RulePublished: {}, RuleStrict: {}, RulePairs: {}}
	for _, p := range r.people {
		figures := object{"separate": p.levels[dataset.LevelSeparate], "final": p.levels[dataset.LevelFinal],
			"per_criterion_alpha_interval": p.alphas, "per_criterion_spearman": p.rhos}
		switch {
		case p.judge != constantJudge:
			figures["n"] = p.n
			figures["unjoined"] = p.unjoined
			figures["invalid"] = p.invalid
			judged[p.rule][p.judge] = figures
		case p.rule == RulePublished:
			f["null_judge_all_maximum"] = figures
		}
	}
	f["judge_human"] = judged[RulePublished]
	f["judge_human_strict"] = judged[RuleStrict]
	return f
}
