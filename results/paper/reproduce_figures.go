package paper

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats/agreement"
)

// An object is one of reproduce.json. Where a figure is null it is undefined for these data. Files
// are systems under a scenario, named as in the release: "gpt4_scenario_3", "cam".
type object = map[string]any

// againstPeople is one judge compared with people's mean, over all criteria's scores in one
// (separate), total points (final), and each criterion in the rubric's order. The rule is that for
// the human rows; verdicts are valid ones by RuleStrict either way, since a score
// above its criterion's maximum says nothing of agreement.
type againstPeople struct {
	judge           string
	rule            Rule
	n               int // human rows paired with a verdict
	unjoined        int // human rows whose answer was not found
	invalid         int // human rows whose answer has no verdict that counts
	separate, final dataset.LevelFigures
	alphas, rhos    []*float64 // of each criterion
}

// at is the comparison at one level, LevelSeparate or LevelFinal.
func (a againstPeople) at(level string) dataset.LevelFigures {
	if level == dataset.LevelFinal {
		return a.final
	}
	return a.separate
}

// constantJudge gives full marks for everything: what a judge must beat.
const constantJudge = "constant"

// judgesAgainstPeople has each judge that was found by every rule, and the constant one by both rules.
func judgesAgainstPeople(c *dataset.Calculator, rel *reproducedRelease) (all []againstPeople) {
	compare := func(a againstPeople, pairs SheetPairs) {
		a.n, a.separate, a.final = len(pairs.People), c.Level(pairs.separate()), c.Level(pairs.final())
		for i := range rel.rubric.Criteria {
			x, y := pairs.criterion(i)
			a.alphas, a.rhos = append(a.alphas, c.Alpha(x, y, agreement.Interval)), append(a.rhos, c.Value(agreement.Spearman(x, y)))
		}
		all = append(all, a)
	}
	for _, rule := range []Rule{RulePublished, RuleStrict, RulePairs} {
		for _, judge := range rel.judges {
			pairs, unjoined, invalid := rel.pairs(judge, rule)
			compare(againstPeople{judge: judge, rule: rule, unjoined: unjoined, invalid: invalid}, pairs)
		}
		if rule != RulePairs {
			compare(againstPeople{judge: constantJudge, rule: rule}, rel.constantPairs(rule))
		}
	}
	return all
}

// figuresOf are the figures of reproduce.json. Agreement of judges is over every human row; see
// againstPeople.
func figuresOf(c *dataset.Calculator, rel *reproducedRelease, people []againstPeople, annotators []ratedLevel) object {
	files := map[string]int{}
	for _, a := range rel.release.Answers {
		files[source{a.System, a.Scenario}.key()]++
	}
	table5, table3, invalid := object{}, object{}, object{}
	for _, judge := range rel.judges {
		sources := rel.sourcesOf(judge)
		byFile, bySystem := object{}, object{}
		for _, s := range sources {
			byFile[s.key()] = object{"published_rule": c.Moments(rel.totals(judge, RulePublished, from(s))),
				"strict": c.Moments(rel.totals(judge, RuleStrict, from(s))), "planned": len(rel.where(judge, from(s)))}
			// Two ways to put a system's scenarios together, by the published rule: all answers in one, and the
			// mean of the scenarios' figures, which the paper's Table 3 gives.
			of := scenariosOf(s.system, sources)
			mean, pooled := meanOfSources(c, rel, judge, RulePublished, of), c.Moments(rel.totals(judge, RulePublished, from(of...)))
			bySystem[s.system] = object{"mean_pooled": pooled.Mean, "mean_of_file_means": mean.Mean, "mean_of_file_sds": mean.SD,
				"sd_pooled": pooled.SD}
		}
		table5[judge], table3[judge] = byFile, bySystem
		planned := len(rel.sheets[judge])
		invalid[judge] = object{"missing_or_malformed": planned - len(rel.counted(judge, RulePublished)),
			"not_strictly_valid": planned - len(rel.counted(judge, RuleStrict)), "planned": planned}
	}
	f := object{"answers": object{"total": len(rel.release.Answers), "per_file": files}, "table5": table5, "table3": table3,
		"invalid": invalid, "human_human": humanHuman(rel, annotators), "human": human(c, rel)}
	judged := map[Rule]object{RulePublished: {}, RuleStrict: {}, RulePairs: {}}
	for _, p := range people {
		figures := object{"separate": p.separate, "final": p.final, "per_criterion_alpha_interval": p.alphas,
			"per_criterion_spearman": p.rhos}
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

// annotatorLevels is the agreement of the two annotators: over all criteria, of totals, by criterion.
func annotatorLevels(c *dataset.Calculator, rel *reproducedRelease) []ratedLevel {
	rows := []ratedLevel{{Level: dataset.LevelSeparate, LevelFigures: c.Level(rel.doubly.separate())},
		{Level: dataset.LevelFinal, LevelFigures: c.Level(rel.doubly.final())}}
	for i, criterion := range rel.rubric.Criteria {
		rows = append(rows, ratedLevel{Level: criterion.ID + " " + criterion.Name, LevelFigures: c.Level(rel.doubly.criterion(i))})
	}
	return rows
}

func humanHuman(rel *reproducedRelease, levels []ratedLevel) object {
	var criteria []*float64
	for _, l := range levels[2:] {
		criteria = append(criteria, l.AlphaInterval)
	}
	separate, final := levels[0], levels[1]
	return object{"n_answers": len(rel.doubly.People), "alpha_per_criterion_interval": criteria,
		"alpha_separate": object{"nominal": separate.AlphaNominal, "ordinal": separate.AlphaOrdinal, "interval": separate.AlphaInterval},
		"alpha_final":    object{"ordinal": final.AlphaOrdinal, "interval": final.AlphaInterval}}
}

func human(c *dataset.Calculator, rel *reproducedRelease) object {
	sheets := rel.counted(data.Human, RulePublished)
	byFile := object{}
	for _, s := range rel.sourcesOf(data.Human) {
		byFile[s.key()] = c.Moments(rel.totals(data.Human, RulePublished, from(s)))
	}
	var criteria []*float64
	for i := range rel.rubric.Criteria {
		points := make([]float64, len(sheets))
		for k, s := range sheets {
			points[k] = s.points[i]
		}
		criteria = append(criteria, c.Moments(points).Mean)
	}
	return object{"n": len(sheets), "table5": byFile, "mean_per_criterion": criteria,
		"table4": object{"with_aspect": c.Moments(rel.totals(data.Human, RulePublished, withAspect(true))),
			"without_aspect": c.Moments(rel.totals(data.Human, RulePublished, withAspect(false)))},
		"out_of_range_rows": len(sheets) - len(rel.counted(data.Human, RuleStrict))}
}
