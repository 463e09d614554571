package paper

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// An object is one of reproduce.json. Where a figure is null it is undefined for these data. Files are systems under a
// scenario, named as in the release: "gpt4_scenario_3", "cam".
type object = map[string]any

// comparison is of the sheets of two raters: all criteria's scores in one (separate), total points (final), and each
// criterion in the rubric's order. Of one judge and people's mean, the rule is that for the human rows; verdicts are valid
// ones by RuleStrict either way, since a score above its criterion's maximum says nothing of agreement.
type comparison struct {
	n            int
	levels       map[string]dataset.LevelFigures // LevelSeparate and LevelFinal
	alphas, rhos []*float64                      // of each criterion

	judge    string
	rule     Rule
	unjoined int // human rows whose answer was not found
	invalid  int // human rows whose answer has no verdict that counts
}

func (r *Reproduction) compared(pairs SheetPairs) comparison {
	f := comparison{n: len(pairs.People), levels: map[string]dataset.LevelFigures{
		dataset.LevelSeparate: r.Level(pairs.Values(AllScores)), dataset.LevelFinal: r.Level(pairs.Values(TotalOf))}}
	for i := range r.rubric.Criteria {
		x, y := pairs.Values(ScoreOf(i))
		f.alphas, f.rhos = append(f.alphas, r.Alpha(x, y, agreement.Interval)), append(f.rhos, r.Value(agreement.Spearman(x, y)))
	}
	return f
}

// constantJudge gives full marks for everything: what a judge must beat.
const constantJudge = "constant"

// againstPeople has each judge that was found by every rule, and the constant one by both rules.
func (r *Reproduction) againstPeople() (all []comparison) {
	for _, rule := range allRules {
		people, judges := r.paired, slices.Clone(r.judges)
		if rule != RulePairs {
			people = r.counted(data.Human, rule, everywhere)
			judges = append(judges, constantJudge)
		}
		for _, judge := range judges {
			// Each human row is a unit, also where two are about one answer.
			var pairs SheetPairs
			unjoined, invalid, verdicts := 0, 0, map[string][]float64{}
			for _, s := range r.counted(judge, RuleStrict, everywhere) {
				verdicts[s.row.ID] = s.points
			}
			for _, person := range people {
				verdict := verdicts[person.row.ID]
				switch {
				case judge == constantJudge:
					pairs.Add(person.points, r.rubric.Points(r.rubric.Full()))
				case person.row.ID == "":
					unjoined++
				case verdict == nil:
					invalid++
				default:
					pairs.Add(person.points, verdict)
				}
			}
			a := r.compared(pairs)
			a.judge, a.rule, a.unjoined, a.invalid = judge, rule, unjoined, invalid
			all = append(all, a)
		}
	}
	return all
}

// figures are the figures of reproduce.json. Agreement of judges is over every human row; see comparison.
func (r *Reproduction) figures() object {
	files := map[string]int{}
	for _, a := range r.release.Answers {
		files[sourceOf(a).key()]++
	}
	table5, table3, invalid := object{}, object{}, object{}
	for _, judge := range r.judges {
		sources := r.sourcesOf(judge)
		byFile, bySystem := object{}, object{}
		for _, s := range sources {
			byFile[s.key()] = object{"published_rule": r.points(judge, RulePublished, from(s)), "strict": r.points(judge, RuleStrict, from(s)),
				"planned": len(table.Where(r.sheets[judge], from(s)))}
			// Two ways to put a system's scenarios together, by the published rule: all answers in one, and the mean of the
			// scenarios' figures, which the paper's Table 3 gives.
			of := scenariosOf(s.system, sources)
			mean, pooled := r.meanOfSources(judge, RulePublished, of), r.points(judge, RulePublished, from(of...))
			bySystem[s.system] = object{"mean_pooled": pooled.Mean, "mean_of_file_means": mean.Mean, "mean_of_file_sds": mean.SD,
				"sd_pooled": pooled.SD}
		}
		planned := len(r.sheets[judge])
		table5[judge], table3[judge] = byFile, bySystem
		invalid[judge] = object{"missing_or_malformed": planned - len(r.counted(judge, RulePublished, everywhere)),
			"not_strictly_valid": planned - len(r.counted(judge, RuleStrict, everywhere)), "planned": planned}
	}
	people, byFile := r.counted(data.Human, RulePublished, everywhere), object{}
	for _, s := range r.sourcesOf(data.Human) {
		byFile[s.key()] = r.points(data.Human, RulePublished, from(s))
	}
	criteria := make([]*float64, len(r.rubric.Criteria))
	for i := range criteria {
		criteria[i] = r.Moments(table.Each(people, func(s scoreSheet) float64 { return s.points[i] })).Mean
	}
	separate, final := r.annotators.levels[dataset.LevelSeparate], r.annotators.levels[dataset.LevelFinal]
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
			figures["n"], figures["unjoined"], figures["invalid"] = p.n, p.unjoined, p.invalid
			judged[p.rule][p.judge] = figures
		case p.rule == RulePublished:
			f["null_judge_all_maximum"] = figures
		}
	}
	f["judge_human"], f["judge_human_strict"] = judged[RulePublished], judged[RuleStrict]
	return f
}
