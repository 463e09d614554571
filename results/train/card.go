package train

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

const (
	TrainName   = "train.jsonl"         // the training set
	HeldOutName = "heldout.jsonl"       // the held-out set
	PairsName   = "heldout_pairs.jsonl" // the held-out pairs, for `compqa run --only pairs --pairs`
	CardName    = "card.json"           // the card
	CardText    = "card.md"             // the card as a page
)

// A Card describes training data: how it was made and selected, from which record, and what it contains.
type Card struct {
	MadeBy     string            `json:"made_by"`
	Kind       string            `json:"kind"`
	Format     string            `json:"format"`
	Files      map[string]string `json:"files"` // SHA-256 hashes by file name
	Run        string            `json:"run"`   // identity of the record
	Dataset    string            `json:"dataset"`
	Rubric     string            `json:"rubric"`
	RubricHash string            `json:"rubric_hash"`
	Prompts    map[string]string `json:"prompts"` // SHA-256 hashes: of the prompt templates by scenario, or of the judge's prompt
	Selection  Selection         `json:"selection"`
	Steps      []Step            `json:"steps"`
	Counts     Counts            `json:"counts"`
	Splits     Splits            `json:"splits"`
	Lengths    Lengths           `json:"lengths"`
	Overlap    map[string]int    `json:"overlap"` // by evaluation set: number of the questions that are in it
	Benchmarks []string          `json:"trained_on_benchmark"`
	TrainedOn  string            `json:"trained_on"` // for the configuration of a model that is trained on these data
	Licences   map[string]string `json:"licences"`   // by source
}

// A Selection says which judge selected the examples, and with which limits.
type Selection struct {
	By        string              `json:"by"`
	Second    string              `json:"second,omitempty"`
	Min       float64             `json:"min,omitempty"`
	Margin    float64             `json:"margin,omitempty"`
	Gamma     *float64            `json:"gamma,omitempty"` // share of the questions with a bias
	Bias      string              `json:"bias,omitempty"`
	Pairwise  bool                `json:"pairwise,omitempty"` // the judge sees both answers at once
	Statuses  map[data.Status]int `json:"statuses,omitempty"` // numbers of the judge's verdicts by status
	Precision *Precision          `json:"precision_against_people,omitempty"`
	Fitted    []string            `json:"fitted_to_people,omitempty"` // judges that were trained on human scores
}

// A Step is a step of the selection, with the number of examples that remain after it.
type Step struct {
	Step string `json:"step"`
	N    int    `json:"n"`
}

// Counts are numbers of examples by system, scenario, question and source.
type Counts struct {
	System   map[string]int `json:"system"`
	Scenario map[string]int `json:"scenario"`
	Question map[string]int `json:"question"`
	Source   map[string]int `json:"source"`
}

// Splits describes the training and the held-out examples: their numbers and questions.
type Splits struct {
	Seed      int64    `json:"seed"`
	Share     float64  `json:"held_out_share"`
	Train     int      `json:"train"`
	HeldOut   int      `json:"held_out"`
	Questions []string `json:"train_questions"`
	Also      []string `json:"train_questions_also,omitempty"` // other keys of the training questions
	Held      []string `json:"held_out_questions"`
}

// Lengths are lengths of texts, in words.
type Lengths struct {
	Prompt       Spread   `json:"prompt"`
	Chosen       Spread   `json:"chosen"`
	Rejected     *Spread  `json:"rejected,omitempty"`
	ChosenLonger *float64 `json:"chosen_longer,omitempty"`        // share of the pairs
	AnswerLonger *float64 `json:"better_answer_longer,omitempty"` // for judgments: share of the judged pairs whose better answer is longer
}

// A Spread has the smallest, the median and the largest length, in words.
type Spread struct {
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	Most   float64 `json:"most"`
}

// lengths returns the spread of the lengths of a text in each example.
func lengths(examples []Example, text func(Example) string) (s Spread) {
	values := data.Each(examples, func(e Example) float64 { return length(text(e)) })
	slices.Sort(values)
	if len(values) > 0 {
		s = Spread{values[0], stats.Quantile(values, 0.5), values[len(values)-1]}
	}
	return s
}

// Describe sets the counts, lengths and splits that follow from the examples.
func (c *Card) Describe(training, heldOut []Example) {
	c.Counts = Counts{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	all := slices.Concat(training, heldOut)
	for _, e := range all {
		c.Counts.System[e.System]++
		c.Counts.Scenario[e.Scenario]++
		c.Counts.Question[e.Question]++
		c.Counts.Source[e.Source]++
	}
	c.Lengths = Lengths{Prompt: lengths(all, Example.PromptText), Chosen: lengths(all, func(e Example) string { return e.Chosen }),
		AnswerLonger: c.Lengths.AnswerLonger}
	if paired := data.Where(all, Example.Paired); paired != nil {
		c.Lengths.Rejected = new(lengths(paired, func(e Example) string { return e.Rejected }))
		if !c.Selection.Pairwise { // each side shows both answers, so their lengths tell nothing
			longer := data.Where(paired, func(e Example) bool { return length(e.Chosen) > length(e.Rejected) })
			c.Lengths.ChosenLonger = stats.Ratio(len(longer), len(paired)).Pointer()
		}
	}
	c.Splits.Train = len(training)
	c.Splits.HeldOut = len(heldOut)
	c.Splits.Questions, c.Splits.Held = questions(training), questions(heldOut)
}

// DescribeAnswers sets how often the better answer of the judged pairs is longer, in words. Pairs without a better answer do not count.
// Without pairs the share is missing.
func (c *Card) DescribeAnswers(pairs []data.Pair) {
	pairs = data.Where(pairs, func(p data.Pair) bool { return p.Label.Decided() })
	longer := data.Where(pairs, func(p data.Pair) bool {
		better := p.A
		worse := p.B
		if p.Label == data.ChoiceB {
			better = p.B
			worse = p.A
		}
		return length(better) > length(worse)
	})
	c.Lengths.AnswerLonger = stats.Ratio(len(longer), len(pairs)).Pointer()
}

func length(text string) float64 { return float64(len(strings.Fields(text))) }

func questions(examples []Example) []string {
	return data.Set(data.Each(examples, func(e Example) string { return e.Question }))
}

// Summary returns the lines that an export prints.
func (c *Card) Summary() []string {
	lines := []string{fmt.Sprintf("%s in %s for %s: %s to train on, %d held out (%s and %s)",
		data.Plural(c.Splits.Train+c.Splits.HeldOut, "example", "examples"),
		c.Kind, c.Format, data.Plural(c.Splits.Train, "example", "examples"), c.Splits.HeldOut,
		data.Plural(len(c.Splits.Questions), "question", "questions"), data.Plural(len(c.Splits.Held), "question", "questions"))}
	if p := c.Selection.Precision; p != nil {
		line := "precision of " + c.Selection.By + " against people: " + p.text(c.Selection)
		if fitted := c.Selection.Fitted; fitted != nil {
			line += "; human scores were used to fit " + data.List(fitted)
		}
		lines = append(lines, line)
	}
	if l := c.Lengths.ChosenLonger; l != nil {
		what := "answer"
		if c.Lengths.AnswerLonger != nil {
			what = "judgment"
		}
		lines = append(lines, fmt.Sprintf("the chosen %s is longer in %.0f %% of the pairs", what, 100**l))
	}
	if l := c.Lengths.AnswerLonger; l != nil {
		lines = append(lines, fmt.Sprintf("the better answer is the longer of the two in %.0f %% of the judged pairs", 100**l))
	}
	if len(c.Benchmarks) > 0 {
		lines = append(lines, "TRAINED ON A BENCHMARK: "+data.List(c.Benchmarks)+". Set trained_on: "+c.TrainedOn+
			" in the entry of a model that is trained on it")
	}
	return lines
}

func (p *Precision) text(s Selection) string {
	switch {
	case p.Share == nil:
		return "unknown, because people scored none of the selected data"
	case s.Min > 0:
		return fmt.Sprintf("of the %d selected answers that people scored, they gave %s or more to %.0f %%, and less than %s to %.0f %%",
			p.N, points(s.Min), 100**p.Share, stats.Shortest(s.Min-3), 100**p.FarBelow)
	}
	return fmt.Sprintf("of the %d selected pairs that people scored differently, they have the same order in %.0f %% (%d ties)", p.N,
		100**p.Share, p.Ties)
}

func points(n float64) string {
	if n == 1 {
		return "1 point"
	}
	return stats.Shortest(n) + " points"
}

// mostListed is the largest number of rows in a table of card.md. card.json has all.
const mostListed = 8

// counts returns a table of the largest counts.
func counts(byName map[string]int) *table.Table {
	t := table.New(1, "name", "examples")
	names := slices.SortedFunc(maps.Keys(byName), func(a, b string) int { return cmp.Or(byName[b]-byName[a], strings.Compare(a, b)) })
	for _, name := range names[:min(mostListed, len(names))] {
		t.Add(cmp.Or(name, "-"), strconv.Itoa(byName[name]))
	}
	if more := len(names) - mostListed; more > 0 {
		t.Add(fmt.Sprintf("and %d more", more), "")
	}
	return t
}

// Markdown returns card.md, which has at most one page. card.json has what does not fit.
func (c *Card) Markdown() string {
	lengths := table.New(1, "words", "least", "median", "most")
	for _, l := range []struct {
		name   string
		spread *Spread
	}{{"prompt", &c.Lengths.Prompt}, {"chosen", &c.Lengths.Chosen}, {"rejected", c.Lengths.Rejected}} {
		if l.spread != nil {
			lengths.Add(l.name, stats.Shortest(l.spread.Least), stats.Shortest(l.spread.Median), stats.Shortest(l.spread.Most))
		}
	}
	licences := table.New(2, "source", "licence")
	for _, name := range slices.Sorted(maps.Keys(c.Licences))[:min(mostListed, len(c.Licences))] {
		licences.Add(name, c.Licences[name])
	}
	overlap := data.Each(slices.Sorted(maps.Keys(c.Overlap)), func(name string) string { return fmt.Sprintf("%s %d", name, c.Overlap[name]) })
	about := fmt.Sprintf("Selected by %s%s. Run %s, dataset %s, rubric %s (%.12s), made by compqa %s. Split by question with seed %d. "+
		"Questions in evaluation sets: %s. %s has the questions, the hashes of files and prompts, and all counts.",
		c.Selection.By, c.Selection.Criteria(), c.Run, c.Dataset, c.Rubric, c.RubricHash, c.MadeBy, c.Splits.Seed, strings.Join(overlap, ", "),
		CardName)
	return table.Page("Training data: "+c.Kind, "- "+strings.Join(c.Summary(), "\n- ")+"\n\n"+about,
		table.Section{Title: "Selection, step by step", Table: table.From(1, c.Steps, "Step=step", "N=examples")},
		table.Section{Title: "By system", Table: counts(c.Counts.System)},
		table.Section{Title: "By scenario, order or stage", Table: counts(c.Counts.Scenario)},
		table.Section{Title: "Lengths", Table: lengths},
		table.Section{Title: "Licences by source", Table: licences})
}

// Criteria describes the limits of the selection in brackets, as " (15 points or more, NAME agrees)". It returns "" without limits.
func (s Selection) Criteria() string {
	var with []string
	if s.Min > 0 {
		with = append(with, points(s.Min)+" or more")
	}
	if s.Margin > 0 {
		with = append(with, points(s.Margin)+" or more between the two")
	}
	if s.Second != "" {
		with = append(with, s.Second+" agrees")
	}
	if s.Gamma != nil {
		with = append(with, fmt.Sprintf("with the bias %s in %s %% of the questions", s.Bias, stats.Shortest(100**s.Gamma)))
	}
	if with == nil {
		return ""
	}
	return " (" + strings.Join(with, ", ") + ")"
}
