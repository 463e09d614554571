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

// A VersionRow is a version of the study's texts, with the sheets of people who had seen it.
type VersionRow struct {
	Version int    `json:"version" csv:"version"`
	At      string `json:"at" csv:"at"`
	What    string `json:"what" csv:"what"` // was changed
	Sheets  int    `json:"sheets" csv:"sheets"`
}

// An AskedRow is how many people gave an answer to a question of the owner's. Numbers are summed up in one row, texts are counted.
type AskedRow struct {
	Question string `json:"question" csv:"question"`
	Moment   string `json:"moment" csv:"moment"`
	Answer   string `json:"answer" csv:"answer"`
	People   int    `json:"people" csv:"people"`
}

// A CheckedRow is how often a question of the check was answered, and answered wrongly.
type CheckedRow struct {
	Question string `json:"question" csv:"question"`
	Version  int    `json:"version" csv:"version"`
	Answers  int    `json:"answers" csv:"answers"`
	Wrong    int    `json:"wrong" csv:"wrong"`
}

// questionOf returns the question that a reply answers, as it was asked; a built-in one of the check where the owner had none.
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

// asked counts the answers to the owner's questions, of people who are not excluded, and those to the check, of all.
func (d *Datasheet) asked(p *project.Project, people []Person) error {
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
	place := func(q question) int { // in the order in which they are asked
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

// answers adds the rows of one question.
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
		for _, value := range slices.Sorted(maps.Keys(counts)) { // of an earlier version
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
	if others := len(replies) - open - len(numbers); q.Type == project.NumberQuestion && others > 0 { // of an earlier version
		add("not a number", others)
	}
}
