package paper

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats/agreement"
)

// ReproducedFigures are the figures of reproduce.json. Where a figure is nil it
// is undefined for these data. Files are systems under a scenario, named as in
// the release: "gpt4_scenario_3", "cam".
type ReproducedFigures struct {
	Answers          answerFigures                      `json:"answers"`
	Table5           map[string]map[string]ruledMoments `json:"table5"` // judge, file
	Table3           map[string]map[string]meanFigures  `json:"table3"` // judge, system; published rule
	Invalid          map[string]invalidFigures          `json:"invalid"`
	HumanHuman       humanHumanFigures                  `json:"human_human"`
	Human            humanFigures                       `json:"human"`
	Constant         agreementFigures                   `json:"null_judge_all_maximum"`
	JudgeHuman       map[string]judgeHumanFigures       `json:"judge_human"` // every human row; see againstPeople
	JudgeHumanStrict map[string]judgeHumanFigures       `json:"judge_human_strict"`
}

type answerFigures struct {
	Total   int            `json:"total"`
	PerFile map[string]int `json:"per_file"`
}

type ruledMoments struct {
	Published dataset.Moments `json:"published_rule"`
	Strict    dataset.Moments `json:"strict"`
	Planned   int             `json:"planned"` // rows of the judge's file
}

// meanFigures are two ways to put a system's scenarios together: all answers in
// one, and the mean of the scenarios' figures, which the paper's Table 3 gives.
type meanFigures struct {
	MeanPooled      *float64 `json:"mean_pooled"`
	MeanOfFileMeans *float64 `json:"mean_of_file_means"`
	MeanOfFileSDs   *float64 `json:"mean_of_file_sds"`
	SDPooled        *float64 `json:"sd_pooled"`
}

type invalidFigures struct {
	Malformed int `json:"missing_or_malformed"` // by the published rule
	NotStrict int `json:"not_strictly_valid"`
	Planned   int `json:"planned"`
}

type humanHumanFigures struct {
	Answers  int `json:"n_answers"`
	Separate struct {
		Nominal  *float64 `json:"nominal"`
		Ordinal  *float64 `json:"ordinal"`
		Interval *float64 `json:"interval"`
	} `json:"alpha_separate"`
	Final struct {
		Ordinal  *float64 `json:"ordinal"`
		Interval *float64 `json:"interval"`
	} `json:"alpha_final"`
	PerCriterion []*float64 `json:"alpha_per_criterion_interval"`
}

type humanFigures struct {
	N      int                        `json:"n"`
	Table5 map[string]dataset.Moments `json:"table5"`
	Table4 struct {
		With    dataset.Moments `json:"with_aspect"`
		Without dataset.Moments `json:"without_aspect"`
	} `json:"table4"`
	MeanPerCriterion []*float64 `json:"mean_per_criterion"`
	OutOfRange       int        `json:"out_of_range_rows"`
}

type judgeHumanFigures struct {
	N        int `json:"n"`        // human rows paired with a verdict
	Unjoined int `json:"unjoined"` // human rows whose answer was not found
	Invalid  int `json:"invalid"`  // human rows whose answer has no verdict that counts
	agreementFigures
}

// againstPeople is one judge compared with people's mean. The rule is that for
// the human rows; verdicts are valid ones by RuleStrict either way, since a score
// above its criterion's maximum says nothing of agreement.
type againstPeople struct {
	judge string
	rule  Rule
	judgeHumanFigures
}

// at is the comparison at one level, LevelSeparate or LevelFinal.
func (a againstPeople) at(level string) dataset.LevelFigures {
	if level == dataset.LevelFinal {
		return a.Final
	}
	return a.Separate
}

// constantJudge gives full marks for everything: what a judge must beat.
const constantJudge = "constant"

func judgesAgainstPeople(c *dataset.Calculator, rel *reproducedRelease) []againstPeople {
	var out []againstPeople
	criteria := len(rel.rubric.Criteria)
	for _, rule := range rules {
		for _, judge := range rel.judges {
			out = append(out, rel.against(c, judge, rule))
		}
		pairs := rel.constantPairs(rule)
		out = append(out, againstPeople{constantJudge, rule,
			judgeHumanFigures{N: len(pairs.People), agreementFigures: newAgreementFigures(c, pairs, criteria)}})
	}
	for _, judge := range rel.judges {
		out = append(out, rel.against(c, judge, RulePairs))
	}
	return out
}

func (rel *reproducedRelease) against(c *dataset.Calculator, judge string, rule Rule) againstPeople {
	pairs, unjoined, invalid := rel.pairs(judge, rule)
	return againstPeople{judge, rule, judgeHumanFigures{len(pairs.People), unjoined, invalid,
		newAgreementFigures(c, pairs, len(rel.rubric.Criteria))}}
}

func figuresOf(c *dataset.Calculator, rel *reproducedRelease, people []againstPeople) ReproducedFigures {
	f := ReproducedFigures{
		Answers:          answerFigures{len(rel.release.Answers), map[string]int{}},
		Table5:           map[string]map[string]ruledMoments{},
		Table3:           map[string]map[string]meanFigures{},
		Invalid:          map[string]invalidFigures{},
		HumanHuman:       humanHuman(c, rel),
		Human:            human(c, rel),
		JudgeHuman:       map[string]judgeHumanFigures{},
		JudgeHumanStrict: map[string]judgeHumanFigures{},
	}
	for _, a := range rel.release.Answers {
		f.Answers.PerFile[source{a.System, a.Scenario}.key()]++
	}
	for _, judge := range rel.judges {
		f.Table5[judge], f.Table3[judge] = map[string]ruledMoments{}, map[string]meanFigures{}
		for _, s := range rel.sourcesOf(judge) {
			f.Table5[judge][s.key()] = ruledMoments{
				c.Moments(rel.totals(judge, RulePublished, from(s))), c.Moments(rel.totals(judge, RuleStrict, from(s))), rel.planned(judge, s)}
			f.Table3[judge][s.system] = systemMeans(c, rel, judge, s.system)
		}
		planned := len(rel.sheets[judge])
		f.Invalid[judge] = invalidFigures{
			planned - len(rel.counted(judge, RulePublished)), planned - len(rel.counted(judge, RuleStrict)), planned}
	}
	for _, p := range people {
		switch {
		case p.judge != constantJudge && p.rule == RulePublished:
			f.JudgeHuman[p.judge] = p.judgeHumanFigures
		case p.judge != constantJudge && p.rule == RuleStrict:
			f.JudgeHumanStrict[p.judge] = p.judgeHumanFigures
		case p.rule == RulePublished:
			f.Constant = p.agreementFigures
		}
	}
	return f
}

// systemMeans are over those of a system's sources that the judge has sheets of,
// by the published rule.
func systemMeans(c *dataset.Calculator, rel *reproducedRelease, judge, system string) meanFigures {
	of := scenariosOf(system, rel.sourcesOf(judge))
	mean := meanOfSources(c, rel, judge, RulePublished, of)
	pooled := c.Moments(rel.totals(judge, RulePublished, from(of...)))
	return meanFigures{pooled.Mean, mean.Mean, mean.SD, pooled.SD}
}

func humanHuman(c *dataset.Calculator, rel *reproducedRelease) humanHumanFigures {
	f := humanHumanFigures{Answers: len(rel.doubly.People)}
	x, y := rel.doubly.separate()
	f.Separate.Nominal, f.Separate.Ordinal, f.Separate.Interval = c.Alpha(x, y, agreement.Nominal), c.Alpha(x, y, agreement.Ordinal),
		c.Alpha(x, y, agreement.Interval)
	x, y = rel.doubly.final()
	f.Final.Ordinal, f.Final.Interval = c.Alpha(x, y, agreement.Ordinal), c.Alpha(x, y, agreement.Interval)
	for i := range rel.rubric.Criteria {
		x, y := rel.doubly.criterion(i)
		f.PerCriterion = append(f.PerCriterion, c.Alpha(x, y, agreement.Interval))
	}
	return f
}

func human(c *dataset.Calculator, rel *reproducedRelease) humanFigures {
	sheets := rel.counted(data.Human, RulePublished)
	f := humanFigures{N: len(sheets), Table5: map[string]dataset.Moments{}}
	for _, s := range rel.sourcesOf(data.Human) {
		f.Table5[s.key()] = c.Moments(rel.totals(data.Human, RulePublished, from(s)))
	}
	f.Table4.With = c.Moments(rel.totals(data.Human, RulePublished, withAspect(true)))
	f.Table4.Without = c.Moments(rel.totals(data.Human, RulePublished, withAspect(false)))
	for i := range rel.rubric.Criteria {
		points := make([]float64, len(sheets))
		for k, s := range sheets {
			points[k] = s.points[i]
		}
		f.MeanPerCriterion = append(f.MeanPerCriterion, c.Moments(points).Mean)
	}
	f.OutOfRange = len(sheets) - len(rel.counted(data.Human, RuleStrict))
	return f
}

func newAgreementFigures(c *dataset.Calculator, pairs SheetPairs, criteria int) agreementFigures {
	a := agreementFigures{Separate: c.Level(pairs.separate()), Final: c.Level(pairs.final())}
	for i := range criteria {
		x, y := pairs.criterion(i)
		a.PerCriterionAlpha = append(a.PerCriterionAlpha, c.Alpha(x, y, agreement.Interval))
		a.PerCriterionSpearman = append(a.PerCriterionSpearman, c.Value(agreement.Spearman(x, y)))
	}
	return a
}

// agreementFigures compare all criteria's scores in one (separate), total
// points (final), and each criterion in the rubric's order.
type agreementFigures struct {
	Separate             dataset.LevelFigures `json:"separate"`
	Final                dataset.LevelFigures `json:"final"`
	PerCriterionAlpha    []*float64           `json:"per_criterion_alpha_interval"`
	PerCriterionSpearman []*float64           `json:"per_criterion_spearman"`
}
