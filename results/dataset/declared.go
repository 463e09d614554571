package dataset

import (
	"encoding/json"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
)

// Declarations are the statements of a run's configuration about its judges and arguments.
type Declarations struct {
	Headline string                `json:"headline"`
	Judges   []DeclarationOfAJudge `json:"judges"`
	Models   []DeclarationOfAJudge `json:"models"`
	// judges of summaries
	SummaryJudges []DeclarationOfAJudge `json:"summary_judges"`
	// of the first record
	Arguments struct {
		Reverse bool `json:"reverse"`
	} `json:"arguments"`
	Run struct{ Concurrency int } `json:"run"`
}

// A DeclarationOfAJudge is what a judge, or a model that answers, is and was trained or tuned on.
type DeclarationOfAJudge struct {
	Name      string            `json:"name"`
	Provider  string            `json:"provider"`
	Model     string            `json:"model"`
	Template  string            `json:"template"` // "release": the authors' prompt
	Ask       string            `json:"ask"`
	Examples  *int              `json:"examples"` // scored answers in its prompt; nil: the default
	TrainedOn string            `json:"trained_on"`
	HeldOut   bool              `json:"held_out"` // no answer is scored by a model that was trained on its question
	LeftOut   []data.SystemBias `json:"left_out"` // its bias on the systems of TrainedOn, fitted without each

	ExamplesFrom string `json:"examples_from"` // people; "": made up
}

// originRelease is the origin of what is imported from the release.
const originRelease = "release"

// declared returns the declarations of all records. A record without a readable configuration declares nothing.
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

// FittedOn returns the declaration of a judge that was trained or tuned on scores of the
// reference, or an empty one. The scores of the release are scores of references that were
// imported from it. Scores with another name are unknown and count for every reference.
func (x *Dataset) FittedOn(judge, reference string) DeclarationOfAJudge {
	d := table.First(x.Declared.Judges, func(d DeclarationOfAJudge) bool { return d.Name == judge && d.TrainedOn != "" })
	if d.TrainedOn == data.ReleaseRows && !slices.ContainsFunc(x.Run.Plan, func(c store.PlanCell) bool {
		return c.Judge == reference && c.Origin == originRelease
	}) {
		return DeclarationOfAJudge{}
	}
	return d
}

// Mark follows the name of a judge where its agreement with a reference stands that it was trained or tuned on ("": with any
// reference), where its verdicts are degenerate, and where they are imported. A note beneath explains it.
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

// ImportMark follows the name of a judge whose verdicts or preferences are imported, or in a file.
const ImportMark = "°"

// MarkOfImport returns ImportMark for judges whose verdicts are imported, for others "".
func (x *Dataset) MarkOfImport(judge string) string {
	if j := x.JudgeNamed(judge); j >= 0 && x.Judges[j].Kind == KindImported {
		return ImportMark
	}
	return ""
}

// NameColumns names judges and scenarios in the tables of sections for display: a judge has its mark, and the id of a scenario its name.
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

// NameOfJudge names a judge in a sentence: with the mark of imports.
func (x *Dataset) NameOfJudge(judge string) string {
	if judge == data.Human {
		return trust.People
	}
	return judge + x.MarkOfImport(judge)
}

// Marked adds marks and links to the judges in a column; reference is the column of references, -1 for any.
func (x *Dataset) Marked(view *table.Table, judge, reference int) *table.Table {
	return view.Link(judge, x.toJudge).Mark(judge, func(row []table.Cell) string {
		if reference < 0 {
			return x.Mark(row[judge].Text, "")
		}
		return x.Mark(row[judge].Text, row[reference].Text)
	})
}

// toJudge leads to a judge; baselines that are computed have no page.
func (x *Dataset) toJudge(name string) *table.Target {
	if x.JudgeNamed(name) < 0 {
		return nil
	}
	return table.ToJudge(name)
}

// MarkedHeader adds marks and links to the judges that have a column.
func (x *Dataset) MarkedHeader(view *table.Table) *table.Table {
	for c := view.Words; c < len(view.Header); c++ {
		view.SetHead(c, func(h *table.Head) { h.Mark, h.To = x.Mark(view.Header[c], ""), x.toJudge(view.Header[c]) })
	}
	return view
}

// SystemMark follows the name of a system that was trained on a benchmark.
const SystemMark = "‡"

// TrainedOn returns the declared training data of a system; "" if none are declared.
func (x *Dataset) TrainedOn(system string) string {
	return table.First(x.Declared.Models, func(d DeclarationOfAJudge) bool { return d.Name == system && d.TrainedOn != "" }).TrainedOn
}
