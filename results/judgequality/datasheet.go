package judgequality

import (
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A Datasheet describes one judge by experiments: how it judges answers that were changed on purpose, and whether it repeats itself. It
// also says how far the judge agrees with people beyond chance. Probes is set for a judge that scores answers, Pairs for one that chooses
// from pairs.
type Datasheet struct {
	Format   string         `json:"format"` // DatasheetFormat
	Judge    string         `json:"judge"`
	Kind     string         `json:"kind"`   // embedded, floor or model
	About    string         `json:"about"`  // description, or the model and its provider
	Rubric   string         `json:"rubric"` // "" if the judge chooses from pairs
	Maximum  float64        `json:"maximum_points,omitempty"`
	Answers  int            `json:"answers"` // number of answers that were changed
	Source   string         `json:"source"`  // where the answers come from
	Seed     int64          `json:"seed"`    // seed of the random draw of the answers
	Calls    int            `json:"calls"`
	Tokens   int            `json:"tokens"`   // of prompts and replies, as far as servers report them
	Cost     float64        `json:"cost"`     // US dollars for calls with a known price
	Unpriced int            `json:"unpriced"` // attempts of unknown price
	Failed   int            `json:"failed"`   // invalid verdicts or preferences; no figure includes them
	Probes   []AttackRow    `json:"-"`
	Pairs    []PairProbeRow `json:"-"`
	Steps    Steps          `json:"steps"`
	Repeats  Repetition     `json:"-"`
	Orders   Repetition     `json:"-"` // the same pair in both orders; zero for a judge of answers
	People   []Chance       `json:"-"`
}

// A DatasheetJSON is a Datasheet for programs. Repeats and Orders are null if nothing was asked again.
type DatasheetJSON struct {
	*Datasheet
	Findings table.Findings            `json:"findings"`              // the first is the headline
	Probes   table.Rows[AttackRow]     `json:"probes,omitempty"`      // only of a judge of answers
	Pairs    table.Rows[PairProbeRow]  `json:"pair_probes,omitempty"` // only of a judge of pairs
	Repeats  *table.Record[Repetition] `json:"repeats"`
	Orders   *table.Record[Repetition] `json:"orders"`
	People   table.Rows[Chance]        `json:"people"`
}

// JSON returns the datasheet as an object. Its tables have the columns of the CSV files.
func (d *Datasheet) JSON() DatasheetJSON {
	one := func(r Repetition) *table.Record[Repetition] {
		if r.N == 0 {
			return nil
		}
		return &table.Record[Repetition]{Row: r}
	}
	return DatasheetJSON{d, d.Findings(), d.Probes, d.Pairs, one(d.Repeats), one(d.Orders), d.People}
}

// DatasheetFormat names the JSON format of a datasheet.
const DatasheetFormat = "compqa datasheet 1"

// Steps says how a judge of answers scores growing damage. N answers have points at every step of damage. Falls of them lose points at the
// last step and gain points at no step.
type Steps struct {
	N     int `json:"n"`
	Falls int `json:"falls"`
}

// A Repetition says how often a judge gives the same result when it is asked again, or in the other order. MeanDifference is the mean
// absolute difference in points (judges of answers). FirstShare is the share of choices of the text shown first (judges of pairs).
type Repetition struct {
	N              int          `csv:"n"`
	Equal          stats.Figure `csv:"equal"` // share of equal results
	MeanDifference stats.Figure `csv:"mean_difference"`
	FirstShare     stats.Figure `csv:"first_share"`
}

// A Chance is a judge's agreement with people: the share of equal values, and Cohen's kappa (1960), which corrects it for chance. N counts
// the compared values. A value is a score of an answer on a criterion, or a choice on a pair in one order.
type Chance struct {
	Reference string       `csv:"reference"`
	N         int          `csv:"n"`
	Agreement stats.Figure `csv:"agreement"`
	Kappa     stats.Figure `csv:"kappa"` // missing if one side has a single value throughout
}

// NewChance compares the values of a judge with those of people, index by index.
func NewChance(reference string, judge, people []float64) Chance {
	c := Chance{Reference: reference, N: len(judge)}
	equal := 0
	for i, v := range judge {
		if v == people[i] {
			equal++
		}
	}
	c.Agreement = stats.Ratio(equal, c.N)
	if kappa, err := agreement.CohenKappa(judge, people); err == nil {
		c.Kappa = stats.Number(kappa)
	}
	return c
}

// A PairProbeRow says how a judge of pairs chooses between an answer and its changed version, shown in both orders. Original is the share
// of pairs on which it chooses the original in both orders, Changed the share for the changed answer. The remaining pairs are ties and
// choices that depend on the order. Outcome is one of:
//
//	noticed    the changed answer is worse, and the original is chosen significantly more often
//	unnoticed  no significant difference
//	rewarded   the changed answer is chosen significantly more often, although it is worse or not better
//	resisted   the changed answer is not better, and is not chosen more often
//	steady     the changed answer says the same, and neither is chosen more often
//	moved      the changed answer says the same, and one is chosen significantly more often
//	not enough data: too few questions for an interval
//	degenerate in no probe does the judge choose the same text in both orders
type PairProbeRow struct {
	Judge      string       `csv:"judge"`
	Probe      string       `csv:"probe"`
	Expects    string       `csv:"expects"`
	N          int          `csv:"n"` // pairs with a valid choice in both orders
	Original   stats.Figure `csv:"original"`
	Changed    stats.Figure `csv:"changed"`
	Difference stats.Figure `csv:"difference,difference_low,difference_high"` // original minus changed
	Outcome    string       `csv:"outcome"`
	About      string       `csv:"-"`
}

// A ProbedPair is a pair of an answer (a) and its changed version (b), with a judge's choices in both orders.
type ProbedPair struct {
	Probe, About, Expects, Question string
	Choices                         [2]data.Choice // in order ab, in order ba
}

// PairProbeRows returns a row for each probe, in the order of appearance. orders says how often the choices in both orders are equal, and
// how often they are the text shown first.
func PairProbeRows(judge string, pairs []ProbedPair) (rows []PairProbeRow, orders Repetition, err error) {
	var c dataset.Calculator
	first := 0
	decided := 0
	same := 0
	never := true
	for _, probed := range table.Grouped(pairs, func(p ProbedPair) string { return p.Probe }) {
		r := PairProbeRow{Judge: judge, Probe: probed[0].Probe, Expects: probed[0].Expects, About: probed[0].About, N: len(probed)}
		var values []float64
		var questions []string
		originals := 0
		changed := 0
		for _, p := range probed {
			value := 0.0
			switch p.Choices {
			case [2]data.Choice{data.ChoiceA, data.ChoiceA}:
				originals++
				value = 1
			case [2]data.Choice{data.ChoiceB, data.ChoiceB}:
				changed++
				value = -1
			}
			for order, choice := range p.Choices {
				if choice.Decided() {
					decided++
					first += int(dataset.Indicator((choice == data.ChoiceA) == (order == 0)))
				}
			}
			same += int(dataset.Indicator(p.Choices[0] == p.Choices[1]))
			values = append(values, value)
			questions = append(questions, p.Question)
		}
		never = never && originals+changed == 0
		r.Original, r.Changed = stats.Ratio(originals, r.N), stats.Ratio(changed, r.N)
		r.Difference = c.Mean(dataset.Sample{Values: values, Questions: stats.ClusterLabels(questions)})
		if r.Difference.Bounded { // a difference of shares is in [-1, 1]
			r.Difference.Low = max(-1, r.Difference.Low)
			r.Difference.High = min(1, r.Difference.High)
		}
		r.Outcome = unknown
		if r.Difference.Bounded || len(data.Among(questions)) >= leastEqual {
			r.Outcome = r.outcome()
		}
		rows = append(rows, r)
	}
	for i := range rows {
		if never {
			rows[i].Outcome = degenerate
		}
	}
	orders = Repetition{N: len(pairs), Equal: stats.Ratio(same, len(pairs)), FirstShare: stats.Ratio(first, decided)}
	return rows, orders, c.Err
}

// outcome returns the outcome of a probe by the bounds of the difference. Without bounds, the difference itself decides.
func (r PairProbeRow) outcome() string {
	low := r.Difference.Value
	high := r.Difference.Value
	if r.Difference.Bounded {
		low = r.Difference.Low
		high = r.Difference.High
	}
	switch {
	case r.Expects == data.Stays && (low > 0 || high < 0):
		return "moved"
	case r.Expects == data.Stays:
		return steady
	case high < 0:
		return rewards
	case r.Expects == data.NoRise:
		return resisted
	case low > 0:
		return noticed
	}
	return "unnoticed"
}

// StepsOf counts the answers whose points fall as damage grows. rungs are the attacks, from the least damage to the most.
func StepsOf(rungs []string, answers []store.AttackedAnswer) (s Steps) {
	points := map[string][]float64{} // by answer: the points before any damage, then after each step
	for _, rung := range rungs {
		for _, a := range answers {
			if a.Attack != rung {
				continue
			}
			if points[a.Answer] == nil {
				points[a.Answer] = []float64{a.Before}
			}
			points[a.Answer] = append(points[a.Answer], a.After)
		}
	}
	for _, steps := range points {
		if len(steps) != 1+len(rungs) {
			continue
		}
		s.N++
		falling := slices.IsSortedFunc(steps, func(a, b float64) int { return int(math.Copysign(1, b-a)) * int(dataset.Indicator(a != b)) })
		s.Falls += int(dataset.Indicator(falling && steps[len(rungs)] < steps[0]))
	}
	return s
}

// Document returns the datasheet as a page.
func (d *Datasheet) Document() table.Document {
	doc := table.Document{ID: "datasheet", Title: d.Findings().Headline(),
		Lead: "Datasheet of the judge " + d.Judge + ". " + d.lead()}
	if d.Pairs != nil {
		doc.Sections = append(doc.Sections, table.Section{Title: "What it does with changed answers",
			About: "Each answer is paired with what it was changed into, and the pair is shown in both orders. Shares of pairs in which the " +
				"judge chooses the original, or the changed answer, in both orders; the rest are ties and choices that depend on the order. " +
				"The difference has a 95 % interval, clustered by question. “noticed”, “rewarded” and “moved”: the interval excludes 0; " +
				"“degenerate”: the judge never chooses the same text in both orders.",
			Table: drawOutcomes(table.From(1, d.Pairs, "probe", "expects=the changed answer should", "n=pairs", "original", "changed",
				"difference+2", "outcome"), "difference")})
	} else {
		doc.Sections = append(doc.Sections, table.Section{Title: "What it does with changed answers",
			About: outcomesText, Notes: d.steps(), Table: drawOutcomes(table.From(1, d.Probes, "probe", "expects=points should", "n", "before",
				"after", "change", "fell", "rose", "outcome"), "change")})
	}
	doc.Sections = append(doc.Sections, d.repeated(), d.people(), table.Section{Title: "The judge", Table: d.properties()})
	changes := table.New(2, "probe", "what was done")
	for _, p := range d.Probes {
		changes.Add(p.Attack, p.About)
	}
	for _, p := range d.Pairs {
		changes.Add(p.Probe, p.About)
	}
	return table.Document{ID: doc.ID, Title: doc.Title, Lead: doc.Lead,
		Sections: append(doc.Sections, table.Section{Title: "What was changed", Table: changes})}
}

// drawOutcomes adds a drawing of a figure to the table, and marks each outcome as good or bad for the judge.
func drawOutcomes(t *table.Table, figure string) *table.Table {
	c := slices.Index(t.Header, figure)
	last := len(t.Header) - 1
	t.Draw(figure, table.AxisOver("", data.Each(t.Rows, func(row []table.Cell) stats.Figure { return row[c].Value })...))
	for _, row := range t.Rows {
		switch row[last].Text {
		case noticed, resisted, steady:
			row[last].Class = "good"
		case rewards, "moved", "unnoticed":
			row[last].Class = "bad"
		}
	}
	return t
}

// lead says on which answers the figures were measured, and how many results are invalid.
func (d *Datasheet) lead() string {
	text := fmt.Sprintf("Measured on %s of %s, drawn at random with the seed %d; each was changed on purpose and judged before and after. "+
		"The figures are those of answers like these: another set can give others.",
		data.Plural(d.Answers, "answer", "answers"), d.Source, d.Seed)
	if d.Failed > 0 {
		what := data.Plural(d.Failed, "verdict is", "verdicts are")
		if d.Pairs != nil {
			what = data.Plural(d.Failed, "choice is", "choices are")
		}
		text += " " + what + " not valid, and left out."
	}
	return text
}

// outcomes returns the names of the probes with an expected effect that have one of the outcomes, and the number of all probes with this
// expected effect. Probes with too few data do not count.
func (d *Datasheet) outcomes(expects string, outcomes ...string) (names []string, all int) {
	add := func(name, expected, outcome string) {
		if expected != expects || outcome == unknown {
			return
		}
		all++
		if slices.Contains(outcomes, outcome) {
			names = append(names, name)
		}
	}
	for _, p := range d.Probes {
		add(p.Attack, p.Expects, p.Outcome)
	}
	for _, p := range d.Pairs {
		add(p.Probe, p.Expects, p.Outcome)
	}
	return names, all
}

// Findings summarises the probes in one finding.
func (d *Datasheet) Findings() table.Findings {
	degenerate, _ := d.outcomes(data.Falls, degenerate)
	seen, worse := d.outcomes(data.Falls, noticed, "hardly")
	rewarded, _ := d.outcomes(data.Falls, rewards)
	notBetter, _ := d.outcomes(data.NoRise, rewards)
	moved, same := d.outcomes(data.Stays, "moved")
	return table.Findings{trust.Probes{Judge: d.Judge, Pairs: d.Pairs != nil, Degenerate: degenerate != nil, RatedLower: len(seen),
		Kinds:    worse,
		Rewarded: append(rewarded, notBetter...), Moved: moved, Unchanged: same}.Finding()}
}

func (d *Datasheet) steps() []table.Note {
	if d.Steps.N == 0 {
		return nil
	}
	return []table.Note{{Text: fmt.Sprintf("As more statements are negated (a quarter, half, all of them), points fall, and never rise, on "+
		"%d of %s.", d.Steps.Falls, data.Plural(d.Steps.N, "answer", "answers"))}}
}

func (d *Datasheet) properties() *table.Table {
	t := table.New(2, "property", "value")
	t.Add("kind", d.Kind)
	t.Add("what it is", d.About)
	if d.Rubric != "" {
		t.Add("rubric", fmt.Sprintf("%s, at most %v points", d.Rubric, d.Maximum))
	}
	cost := fmt.Sprintf("%s, %d tokens, %.4f US dollars", data.Plural(d.Calls, "call", "calls"), d.Tokens, d.Cost)
	if d.Calls == 0 {
		cost = "none: it calls no model"
	} else if d.Unpriced > 0 {
		cost += fmt.Sprintf(", and %s of unknown price", data.Plural(d.Unpriced, "call", "calls"))
	}
	t.Add("cost of this datasheet", cost)
	return t
}

// repeated returns the table of how often the judge repeats itself, when asked again and in the other order.
func (d *Datasheet) repeated() table.Section {
	s := table.Section{Title: "Asked again", About: "The share of equal results when the same is asked again: of totals, with the mean " +
		"absolute difference in points, or of choices. In the other order: the same pair, shown the other way round. A judge that does not " +
		"read the order has first 0.50.", Table: table.New(1, "asked", "n", "equal", "mean difference", "first")}
	add := func(what string, r Repetition) {
		if r.N > 0 {
			s.Table.Add(what, r.N, r.Equal, r.MeanDifference, r.FirstShare)
		}
	}
	add("again", d.Repeats)
	add("in the other order", d.Orders)
	if d.Repeats.N == 0 && d.Calls > 0 {
		s.Notes = append(s.Notes, table.Note{Text: "Nothing was asked again: with temperature 0 a model is expected to repeat itself."})
	}
	return s
}

// people returns the table of agreement with people, next to Cohen's kappa.
func (d *Datasheet) people() table.Section {
	s := table.Section{Title: "Agreement with people",
		About: "The share of equal values, and Cohen's kappa, which takes off what two raters with these frequencies agree on by chance: " +
			"0 is no better than chance. Where one answer is frequent, agreement is high and kappa is not.",
		Table: table.New(1, "people", "n", "agreement", "kappa")}
	for _, c := range d.People {
		s.Table.Add(c.Reference, c.N, c.Agreement, c.Kappa)
	}
	return s
}
