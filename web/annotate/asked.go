package annotate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/web/annotate/project"
)

// A VersionRow describes a version of the study's texts. Sheets is the number of sheets by people who had seen this version last.
type VersionRow struct {
	Version int    `json:"version" csv:"version"`
	At      string `json:"at" csv:"at"`
	What    string `json:"what" csv:"what"` // what was changed
	Sheets  int    `json:"sheets" csv:"sheets"`
}

// An AskedRow is the number of people who gave an answer to one of the owner's questions. Answers that are numbers share a row with their
// median; texts share a row with their number.
type AskedRow struct {
	Question string `json:"question" csv:"question"`
	Moment   string `json:"moment" csv:"moment"`
	Answer   string `json:"answer" csv:"answer"`
	People   int    `json:"people" csv:"people"`
}

// A CheckedRow counts the answers, and the wrong ones, to a question of the check of the guidelines.
type CheckedRow struct {
	Question string `json:"question" csv:"question"`
	Version  int    `json:"version" csv:"version"`
	Answers  int    `json:"answers" csv:"answers"`
	Wrong    int    `json:"wrong" csv:"wrong"`
}

// questionOf returns the question that a reply answers, in the version that the person saw. It is a built-in question if the owner wrote
// none.
func questionOf(p *project.Project, r project.Reply) project.Question {
	is := func(q project.Question) bool { return q.ID == r.Question }
	q, found := data.First(p.TextsOf(r.Version).Of(r.Moment), is)
	if !found {
		q, found = data.First(p.CheckQuestions(), is)
	}
	if !found {
		q.Text = r.Question
	}
	return q
}

// versions counts the sheets of each version of the texts.
func (d *Datasheet) versions(p *project.Project, work []project.Work) {
	sheets := map[int]int{}
	for _, w := range work {
		if w.Annotator > 0 && w.Done() && (w.Kind == project.Main || w.Kind == project.Overlap) {
			sheets[w.Last.Version]++
		}
	}
	for _, v := range p.Versions {
		d.Versions = append(d.Versions, VersionRow{v.Version, v.At[:16], v.What, sheets[v.Version]})
	}
}

// countQuestions counts the answers to the owner's questions, of people who are not excluded, by question in the order of the study. It
// also counts the answers of all people to the check.
func (d *Datasheet) countQuestions(p *project.Project, people []Person) error {
	replies, err := p.Replies()
	if err != nil {
		return err
	}
	counts := data.Among(data.Each(data.Where(people, func(a Person) bool { return a.Excluded == "" || a.ExcludedFrom != "" }),
		func(a Person) int64 { return a.ID }))
	type question struct{ moment, id, text string }
	var order []question
	given := map[question][]project.Reply{}
	for _, r := range replies {
		q := question{r.Moment, r.Question, questionOf(p, r).Text}
		if r.Moment != project.CheckMoment && !counts[r.Annotator] {
			continue
		}
		if given[q] == nil {
			order = append(order, q)
		}
		given[q] = append(given[q], r)
	}
	place := func(q question) int { // index among the questions of the moment
		return slices.IndexFunc(p.Of(q.moment), func(o project.Question) bool { return o.ID == q.id })
	}
	for _, moment := range []string{project.BeforeMoment, project.AfterMoment} {
		list := data.Where(order, func(q question) bool { return q.moment == moment })
		slices.SortStableFunc(list, func(a, b question) int { return place(a) - place(b) })
		for _, q := range list {
			d.answers(questionOf(p, given[q][0]), moment, given[q])
		}
	}
	for _, q := range order {
		if q.moment == project.CheckMoment {
			row := CheckedRow{Question: q.text, Version: given[q][0].Version, Answers: len(given[q])}
			for _, r := range given[q] {
				row.Wrong += int(dataset.Indicator(!r.Correct))
			}
			d.Check = append(d.Check, row)
		}
	}
	return nil
}

// answers adds the rows of one question: a row for each option, one for all numbers, one for all texts, and one for no answer.
func (d *Datasheet) answers(q project.Question, moment string, replies []project.Reply) {
	add := func(answer string, n int) { d.Asked = append(d.Asked, AskedRow{q.Text, moment, answer, n}) }
	counts := map[string]int{}
	open := 0
	var numbers []float64
	for _, r := range replies {
		if x, err := strconv.ParseFloat(r.Value, 64); err == nil {
			numbers = append(numbers, x)
		}
		counts[r.Value]++
	}
	open = counts[""]
	delete(counts, "")
	switch {
	case q.Type == project.ChoiceQuestion:
		for _, o := range q.Options {
			add(o, counts[o])
			delete(counts, o)
		}
		for _, value := range slices.Sorted(maps.Keys(counts)) { // options of an earlier version
			add(value, counts[value])
		}
	case q.Type == project.NumberQuestion && len(numbers) > 0:
		slices.Sort(numbers)
		n := len(numbers)
		middle := (numbers[(n-1)/2] + numbers[n/2]) / 2
		add(fmt.Sprintf("median %s, from %s to %s", project.Points(middle), project.Points(numbers[0]), project.Points(numbers[n-1])), n)
	case q.Type == project.TextQuestion:
		add("a text (replies.csv of annotate export has it)", len(replies)-open)
	}
	if open > 0 {
		add("no answer", open)
	}
	if others := len(replies) - open - len(numbers); q.Type == project.NumberQuestion && others > 0 { // an earlier version took texts
		add("not a number", others)
	}
}
