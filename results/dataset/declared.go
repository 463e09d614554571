package dataset

import (
	"encoding/json"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
)

// Declarations are what a run's configuration declares about its judges, models and arguments.
type Declarations struct {
	Headline string                `json:"headline"`
	Judges   []DeclarationOfAJudge `json:"judges"`
	Models   []DeclarationOfAJudge `json:"models"`
	// SummaryJudges are the judges of contrastive tables.
	SummaryJudges []DeclarationOfAJudge `json:"summary_judges"`
	// Arguments come from the first record.
	Arguments struct {
		Reverse bool `json:"reverse"`
	} `json:"arguments"`
	Run struct{ Concurrency int } `json:"run"`
}

// A DeclarationOfAJudge says what a judge (or a model that answers) is, and what it was trained or tuned on.
type DeclarationOfAJudge struct {
	Name      string            `json:"name"`
	Provider  string            `json:"provider"`
	Model     string            `json:"model"`
	Template  string            `json:"template"` // "release": the authors' prompt
	Ask       string            `json:"ask"`      // what one call asks about: all criteria ("" or "all"), a group, or a criterion
	Examples  *int              `json:"examples"` // number of scored answers in its prompt; nil for the default
	TrainedOn string            `json:"trained_on"`
	HeldOut   bool              `json:"held_out"` // no answer is scored by a model that was trained on the answer's question
	LeftOut   []data.SystemBias `json:"left_out"` // its bias on each system of TrainedOn, fitted without that system

	ExamplesFrom string `json:"examples_from"` // "people", or "" for made-up ones
}

// originRelease is the origin of results that were imported from the paper's release.
const originRelease = "release"

// declared merges the declarations of all records. A record without a readable configuration declares nothing.
func declared(run *Run) (d Declarations) {
	for i, made := range run.Made {
		var declarations Declarations
		if json.Unmarshal([]byte(made.Config), &declarations) == nil {
			if i == 0 {
				d.Arguments = declarations.Arguments
				d.Run = declarations.Run
			}
			d.Judges = append(d.Judges, declarations.Judges...)
			d.Models = append(d.Models, declarations.Models...)
			d.SummaryJudges = append(d.SummaryJudges, declarations.SummaryJudges...)
			if d.Headline == "" {
				d.Headline = declarations.Headline
			}
		}
	}
	return d
}

// FittedOn returns the declaration of a judge that was trained or tuned on scores of the reference, or an empty one. data.ReleaseRows means
// the references that were imported from the release. Any other name is unknown, and counts for every reference.
func (x *Dataset) FittedOn(judge, reference string) DeclarationOfAJudge {
	d := table.First(x.Declared.Judges, func(d DeclarationOfAJudge) bool { return d.Name == judge && d.TrainedOn != "" })
	if d.TrainedOn == data.ReleaseRows && !slices.ContainsFunc(x.Run.Plan, func(c store.PlanCell) bool {
		return c.Judge == reference && c.Origin == originRelease
	}) {
		return DeclarationOfAJudge{}
	}
	return d
}

// Mark returns the marks behind a judge's name in tables; a note explains them:
//   - § if its verdicts are degenerate
//   - † if it was trained or tuned on scores of the reference (of any reference if reference is "")
//   - ° if its verdicts are imported
func (x *Dataset) Mark(judge, reference string) (mark string) {
	j := x.JudgeNamed(judge)
	if j >= 0 && x.Degenerate[j] != "" {
		mark = "§"
	} else if slices.ContainsFunc(x.References(), func(r int) bool {
		name := x.Judges[r].Name
		return (reference == "" || reference == name) && x.FittedOn(judge, name).TrainedOn != ""
	}) {
		mark = "†"
	}
	return mark + x.MarkOfImport(judge)
}

// ImportMark follows the name of a judge whose verdicts or preferences are imported, or come from a file.
const ImportMark = "°"

// MarkOfImport returns ImportMark for a judge whose verdicts are imported, else "".
func (x *Dataset) MarkOfImport(judge string) string {
	if j := x.JudgeNamed(judge); j >= 0 && x.Judges[j].Kind == KindImported {
		return ImportMark
	}
	return ""
}

// NameColumns adds marks to the names of judges in the tables of sections, and names to the IDs of scenarios.
func (x *Dataset) NameColumns(sections []table.Section) []table.Section {
	for _, s := range table.NameJudges(sections, x.MarkOfImport) {
		column := -1
		if s.Table != nil {
			column = slices.Index(s.Table.Header, "scenario")
		}
		for r := 0; column >= 0 && r < len(s.Table.Rows); r++ {
			cell := &s.Table.Rows[r][column]
			cell.Text = ScenarioName(cell.Text)
		}
	}
	return sections
}

// NameOfJudge returns the name of a judge for sentences, with the mark of imports. The mean of people is called "people".
func (x *Dataset) NameOfJudge(judge string) string {
	if judge == data.Human {
		return trust.People
	}
	return judge + x.MarkOfImport(judge)
}

// Marked adds marks and links to the judges in the column judge. reference is the column of references, or -1 if any reference counts.
func (x *Dataset) Marked(view *table.Table, judge, reference int) *table.Table {
	return view.Link(judge, x.toJudge).Mark(judge, func(row []table.Cell) string {
		if reference < 0 {
			return x.Mark(row[judge].Text, "")
		}
		return x.Mark(row[judge].Text, row[reference].Text)
	})
}

// toJudge returns a link to a judge's page, or nil for a computed baseline, which has none.
func (x *Dataset) toJudge(name string) *table.Target {
	if x.JudgeNamed(name) < 0 {
		return nil
	}
	return table.ToJudge(name)
}

// MarkedHeader adds marks and links to the headings of columns that are judges.
func (x *Dataset) MarkedHeader(view *table.Table) *table.Table {
	for c := view.Words; c < len(view.Header); c++ {
		view.SetHead(c, func(h *table.Head) { h.Mark, h.To = x.Mark(view.Header[c], ""), x.toJudge(view.Header[c]) })
	}
	return view
}

// SystemMark follows the name of a system that was trained on a benchmark.
const SystemMark = "‡"

// TrainedOn returns the training data that the configuration declares for a system, or "".
func (x *Dataset) TrainedOn(system string) string {
	return table.First(x.Declared.Models, func(d DeclarationOfAJudge) bool { return d.Name == system && d.TrainedOn != "" }).TrainedOn
}
