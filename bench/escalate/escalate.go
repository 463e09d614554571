// Package escalate computes the decisions of a cascade of judges. It says which judge decides each answer of a run, and which judge is
// asked next. A decision depends on the record only, so that a run, its report and its verification agree.
package escalate

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation"
	"compqa/rubric"
	"compqa/stats/labels"
)

// A Decision says which judge, or a person, decides each answer, as far as the record tells.
type Decision struct {
	Finding table.Finding
	Final   bool                 // whether no judge needs to be asked any more
	Unsure  bool                 // whether the record lacks the judges' confidence; then the recorded reasons for not asking stay
	by      map[string]string    // answer to the judge that decides it, or to data.Human
	asks    map[[2]string]bool   // judge and answer: whether the judge was asked (even if the call failed) or is asked next
	skipped map[[2]string]string // judge and answer: the recorded reason why the judge was not asked
	result  *validation.Result   // nil if there are too few labels, or no judge reports its confidence
}

// Decide computes the decision from the record in the folder dir, in these steps.
// 1. It notes for each judge and answer whether there is a verdict, or a reason why the judge was not asked.
// 2. If people labelled too few answers, people decide all answers.
// 3. Judges without a verdict are asked about the labelled answers. Until these verdicts are there, the decision is not final.
// 4. The validation then says which judge decides each answer, and which judge is asked next about which answers.
// A record without replies has no log-probabilities. Then the decision is Unsure: the recorded reasons stay, and there are no tables.
func Decide(dir string, c *config.Config) (*Decision, error) {
	e := c.Escalate
	x, err := validation.ReadRun(dir, true)
	if err != nil {
		return nil, err
	}
	criterion, err := Criterion(x.Rubric, e)
	if err != nil {
		return nil, err
	}
	d := &Decision{Final: true, by: map[string]string{}, asks: map[[2]string]bool{}, skipped: map[[2]string]string{}}
	for _, sheet := range x.Sheets {
		if int(sheet.Item) >= len(x.Answers) {
			continue // its answer was not found
		}
		key := [2]string{x.Judges[sheet.Rater].Name, x.Answers[sheet.Item].ID}
		if sheet.Left() {
			d.skipped[key] = sheet.Reason
		} else {
			d.asks[key] = true
		}
	}
	narrow(x, c, criterion)
	labelled := labelledIn(x)
	if len(labelled) < labels.LeastUnread(e.Alpha, e.Delta) {
		d.Finding = unanswered(e, len(x.Answers), len(labelled))
		return d, nil
	}
	d.askAboutLabelled(x, labelled, e)
	if !d.Final {
		return d, nil
	}
	judged := validation.SideOfRun(x.Judgements, validation.Side{Repeats: true})
	people := validation.SideOfRun(x.Judgements, validation.Side{People: true})
	study, err := validation.NewStudy(judged, people, validation.Options{Unread: 1 - e.Alpha, Sure: 1 - e.Delta, Escalate: e.Judges,
		Sampled: true, Seed: uint64(c.Run.Seed), CallPrices: validation.PaidPerVerdict(x), LabelPrice: llm.ValueOr(e.LabelPrice, 0),
		Declared: validation.DeclaredScales(x.Judgements)})
	if err == nil {
		d.result, err = study.Compute(nil, nil)
	}
	if _, none := errors.AsType[*validation.Needed](err); none {
		d.Finding = unanswered(e, 0, 0)
		d.result = nil
		d.Unsure = true
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("deciding who decides (escalate): %w", err)
	}
	d.Finding = d.result.MayStand[0]
	for judge, answers := range d.result.ToAsk {
		for _, answer := range answers {
			d.asks[[2]string{judge, answer}] = true
			d.Final = false
		}
	}
	for _, row := range d.result.Decided {
		d.by[row.ID] = row.Judge
	}
	return d, nil
}

// narrow keeps only the scores on one criterion, by people and by the judges of the cascade. It drops the repeats of a judge that measure
// its self-consistency and are not votes.
func narrow(x *dataset.Dataset, c *config.Config, criterion string) {
	repeats := map[string]bool{}
	for _, judge := range c.JudgesOf(store.KindVerdict) {
		repeats[judge.Name] = slices.Contains(c.Escalate.Judges, judge.Name) && judge.Repeats.Times > 1
	}
	index := slices.IndexFunc(x.Rubric.Criteria, func(c rubric.Criterion) bool { return c.Name == criterion })
	copied := *x.Judgements
	copied.Criteria = copied.Criteria[index : index+1]
	copied.Sheets = nil
	for _, s := range x.Judgements.Sheets {
		rater := copied.Raters[s.Rater]
		person := rater.Kind == data.KindPerson
		if !person && (!slices.Contains(c.Escalate.Judges, rater.Name) || s.Repeat > 1 && !repeats[rater.Name]) {
			continue
		}
		if s.Scores != nil {
			ending := *s.Ending
			ending.Scores = s.Scores[index : index+1]
			s.Ending = &ending
		}
		copied.Sheets = append(copied.Sheets, s)
	}
	x.Judgements = &copied
}

// labelledIn returns the ids of the answers that people scored, each once.
func labelledIn(x *dataset.Dataset) (ids []string) {
	for _, s := range x.Judgements.Sheets {
		rater := x.Judgements.Raters[s.Rater]
		if rater.Kind == data.KindPerson && !rater.Decided && s.Scores != nil && !math.IsNaN(s.Scores[0]) && int(s.Item) < len(x.Answers) {
			ids = append(ids, x.Answers[s.Item].ID)
		}
	}
	return data.Set(ids)
}

// askAboutLabelled marks the labelled answers to be asked next of each judge that has no verdict yet.
func (d *Decision) askAboutLabelled(x *dataset.Dataset, labelled []string, e *config.Escalation) {
	for _, judge := range e.Judges {
		rater := x.JudgeNamed(judge)
		if slices.ContainsFunc(x.Judgements.Sheets, func(s data.Given) bool { return int(s.Rater) == rater && s.Scores != nil }) {
			continue
		}
		for _, answer := range labelled {
			key := [2]string{judge, answer}
			d.Final = d.Final && d.asks[key]
			d.asks[key] = true
		}
	}
}

// unanswered returns why no verdict may stand unread: of the answers too few, n, have labels or, without answers, no judge is sure of one.
func unanswered(e *config.Escalation, answers, n int) table.Finding {
	u := trust.UnreadQuestion{Judges: e.Judges, Tests: 1, Values: make([]float64, n), Apart: slices.Repeat([]float64{math.NaN()}, n)}
	u.Question = labels.Unread{Alpha: e.Alpha, Delta: e.Delta, Labelled: make([]int, n)}
	for range e.Judges {
		u.Question.Confidence = append(u.Question.Confidence, make([]float64, answers))
		u.Question.Wrong = append(u.Question.Wrong, make([]bool, n))
	}
	return u.Decide().Finding()
}

// Criterion returns the name of the criterion on which the cascade decides: the one that the configuration names, or the rubric's only
// criterion.
func Criterion(r rubric.Rubric, e *config.Escalation) (string, error) {
	for _, c := range r.Criteria {
		if e.Criterion == c.ID || e.Criterion == c.Name || e.Criterion == "" && len(r.Criteria) == 1 {
			return c.Name, nil
		}
	}
	return "", fmt.Errorf("escalate: criterion is %q; it must be one of the rubric's: %s", e.Criterion, data.Some(r.IDs()))
}

// Asks reports whether a judge was or will be asked about an answer. If not, reason says why. It is "" if that depends on judges that are
// still to be asked. recorded reports whether the record already has this reason.
func (d *Decision) Asks(judge, answer string) (asks bool, reason string, recorded bool) {
	key := [2]string{judge, answer}
	switch {
	case d.asks[key]:
		return true, "", false
	case !d.Final:
		return false, "", false
	}
	if d.Unsure && d.skipped[key] != "" {
		return false, d.skipped[key], true
	}
	reason = data.NotAsked + "people decide, whatever it says"
	if by := d.by[answer]; by != "" && by != data.Human {
		reason = data.NotAsked + by + " decides"
	}
	return false, reason, d.skipped[key] == reason
}

// Print prints the decision in words. It prints nothing if the configuration has no key escalate.
func Print(w io.Writer, dir string, c *config.Config) error {
	if c.Escalate == nil {
		return nil
	}
	d, err := Decide(dir, c)
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	table.PrintWrapped(w, table.Printable(d.Finding.Text))
	return nil
}

// Chapter returns the chapter of a report about the cascade of judges, and functions that write its files by their names. Without escalate
// in the recorded configuration, the chapter is empty.
func Chapter(dir string, t *report.Report) (table.Document, map[string]func(io.Writer) error, error) {
	files := new(validation.Result).Escalated().Files()
	if len(t.Made) == 0 {
		return table.Document{}, files, nil
	}
	c, err := config.ParseRecorded(t.Made[0].Config)
	if err != nil || c.Escalate == nil {
		return table.Document{}, files, err
	}
	d, err := Decide(dir, c)
	if err != nil {
		return table.Document{}, nil, err
	}
	document := table.Document{ID: "escalation", Title: "Who decides", Lead: d.Finding.Text}
	if d.result != nil {
		files = d.result.Escalated().Files()
		document.Sections = d.result.EscalationSections()
	}
	return document, files, nil
}
