package summaries

import (
	_ "embed"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// row returns the row of a measure by a judge, or the row of a measure that needs no judge. Without either it is the zero row.
func (t *Tables) row(system, judge, measure string) MeasureRow {
	return table.First(t.Measures, func(r MeasureRow) bool {
		return r.System == system && r.Measure == measure && (r.Judge == judge || r.Judge == noJudge)
	})
}

// mainMeasures are the measures in report.md and in the table of critiques.
var mainMeasures = data.Where(measures, func(m measure) bool {
	return slices.Contains([]string{chs, "redundancy", "inconsistency", "p_at_5"}, m.name)
})

// aboutRules explains the judge without a model.
const aboutRules = "The judge rules counts words and does not read: it compares attributes, numbers and opposite words, and does not say " +
	"which rows help or are relevant. Its figures stand in this part only, unless people labelled tables of this run, too: then the " +
	"section Agreement says how far they agree."

// Document returns the measures of contrastive tables. Without any, it has no sections.
func (t *Tables) Document() table.Document {
	d := table.Document{ID: "summaries", Title: "Contrastive tables"}
	if len(t.Measures) == 0 {
		return d
	}
	judged := "No judge of summaries is configured (summary_judges), so only measures without a judge are shown."
	if len(t.judges) > 0 {
		names := make([]string, len(t.judges))
		for i, j := range t.judges {
			names[i] = j.name
			if j.trainedOn != "" {
				names[i] += " (trained on " + j.trainedOn + ")"
			}
		}
		judged = "Judges: " + data.List(names) + "."
		if slices.ContainsFunc(t.judges, func(j judge) bool { return j.kind == dataset.KindEmbedded }) {
			judged += " " + aboutRules
		}
	}
	d.Sections = append([]table.Section{
		{Title: "Measures", Table: t.measuresTable(),
			About: "“helpful”: share of rows with YES, mean over summaries (CHS); “of all rows”: over rows; “OK”: share of rows " +
				"that are neither helpful nor faulty. “redundancy”: 1 − distinct attributes / attributes. “inconsistency”: number of " +
				"values to remove so that no object contradicts itself. “P@5”: relevant rows among the first five, “strict”: divided by five " +
				"even if there are fewer, “lift”: P@5 minus the share of relevant rows. “distinctiveness”: 1 means no word in " +
				"common; unrelated texts also have 1, so do not rank systems by it."},
		{Title: "Useful rows by majority", Table: t.majorityTable(),
			About: "Rows that most of those who labelled them find helpful (YES); ties are left out. “people”: all persons; “judges”: all " +
				"judges that are no people, if there are two or more. “rows of a summary”: the mean of the summaries that they labelled."},
		AttributionTable.Views[0].Section(t.Attributed),
		{Title: "Critiques", Table: t.ablationTable(), About: "Systems that differ in critiques only, judged by " + t.headline() +
			". Differences are from the system with the most critiques, over the same questions."},
		{Title: "Throughput", Table: table.From(1, t.Speeds, "System=system", "Valid=summaries with rows", "Concurrency=concurrency",
			"Calls=calls", "Tokens=tokens", "Seconds:1=seconds", "Throughput:3=summaries a second"),
			About: "Seconds in which a call of the system was in flight; a provider has at most “concurrency” calls of all systems in " +
				"flight. Calls in batches have no time."},
		AgreementTable.Views[0].Section(t.Agreements),
	}, publishedTables()...)
	d.Lead = "Measures of Gunel et al. (STRUM-LLM). The unit is a summary; brackets contain 95 % intervals, clustered by question. " + judged
	return d
}

func (r MeasureRow) counts() string { return fmt.Sprintf("%d of %d", r.Valid, r.Planned) }

func (t *Tables) measuresTable() *table.Table {
	headings := data.Each(measures, func(m measure) string { return m.heading })
	view := table.New(2, append([]string{"system", "judge", "summaries"}, headings...)...)
	for _, s := range t.systems {
		rows := len(view.Rows)
		for _, j := range append(slices.Clone(t.judges), judge{name: noJudge}) {
			row := table.First(t.Measures, func(r MeasureRow) bool { return r.System == s.Name && r.Judge == j.name })
			if row.Measure != "" && (j.name != noJudge || len(view.Rows) == rows) {
				cells := data.Each(measures, func(m measure) any { return t.row(s.Name, j.name, m.name).Value })
				view.Add(append([]any{s.Name, j.name, row.counts()}, cells...)...)
			}
		}
	}
	return view
}

// Section returns the measures by the headline judge, for report.md.
func (t *Tables) Section() table.Section {
	view := table.New(1, "system", "helpful rows", "redundancy", "inconsistent values", "P@5", "summaries")
	for _, s := range t.systems {
		helpful := t.row(s.Name, t.headline(), chs)
		if helpful.Measure == "" {
			continue
		}
		cells := data.Each(mainMeasures, func(m measure) any { return t.row(s.Name, t.headline(), m.name).Value })
		view.Add(append(append([]any{s.Name}, cells...), helpful.counts())...)
	}
	about := "By the judge " + t.headline()
	if r := t.withPeople(t.headline()); r.N > 0 {
		about += ", which agrees with people on " + r.Agreement.Text(2) + " of " + data.Plural(r.N, "row", "rows")
	}
	return table.Section{Title: "Contrastive tables", About: about + ".", Table: view}
}

// The figures that Gunel et al. print (STRUM-LLM: Attributed and Structured Contrastive Summarization, Tables 1 to 4), to compare
// with. Shares are in [0, 1]. The redundancy of a table is 1 − clusters / attributes.
//
//go:embed published.csv
var publishedText string

// A publishedFigure is a cell of a published table.
type publishedFigure struct {
	Table   int    `csv:"table"`
	System  string `csv:"system"`
	Measure string `csv:"measure"`
	Value   string `csv:"value"`
}

func publishedFigures() []publishedFigure {
	return data.Must(data.ReadCSV[publishedFigure]("published.csv", publishedText))
}

// publishedTables returns the four published tables, with a text for each.
func publishedTables() (sections []table.Section) {
	figures := publishedFigures()
	for i, about := range []string{
		"Three systems on 250 comparisons, judged by a model. Throughput is in summaries a second.",
		"The distilled system without and with critiques, in four categories.",
		"Rows of a summary, the share of useful rows by people and by the model (CHS), agreement among people, and of people with the model.",
		"The measures of a summary by a model and by people.",
	} {
		grid := table.NewGrid("system")
		for _, f := range figures {
			if f.Table == i+1 {
				grid.Set(f.Value, f.Measure, f.System)
			}
		}
		sections = append(sections, table.Section{Title: fmt.Sprintf("Published: Table %d of Gunel et al.", i+1),
			About: about + " For comparison; the questions, sources, models and people differ from this run.", Table: &grid.Table})
	}
	return sections
}
