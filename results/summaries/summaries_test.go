package summaries

import (
	"fmt"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/stats"
)

// made returns a run of systems with a table for each question. short has, by system, the labels of the rows of each table, in the short
// form of labelled.
func made(config string, short map[string][]string) *dataset.Dataset {
	run := &dataset.Run{Rubric: rubric.CQA(), Made: []store.Provenance{{Config: config}}, Busy: map[string]float64{"full": 1.5, "none": 0.018}}
	for _, system := range []string{"full", "none", "some"} {
		run.Systems = append(run.Systems, store.Participant{Name: system, Kind: dataset.ModelKind})
		run.Plan = append(run.Plan, store.PlanCell{Kind: store.KindAnswer, System: system, Scenario: "1", Planned: len(short[system])})
		run.LabelPlan = append(run.LabelPlan, store.PlanCell{Kind: data.LabelRows, Judge: "j", System: system, Scenario: "1", Planned: len(short[system])})
		run.Costs = append(run.Costs, store.CostAccount{Party: store.Party{Kind: store.KindAnswer, Name: system}, Calls: 7, Tokens: store.Tokens{Prompt: 30, Completion: 4}})
		for i, labels := range short[system] {
			s := &dataset.Summary{Table: &data.ContrastTable{}, Labels: []dataset.SummaryLabels{{Judge: "j", Kind: data.LabelRows, Status: data.Empty}}}
			if labels != "" {
				s.Labels[0].Status, s.Labels[0].Rows = data.Valid, labelled(labels)
				*s.Table = tableOf(make([][]string, len(labels))...)
			}
			run.Answers = append(run.Answers, dataset.AnswerRow{ID: fmt.Sprint(system, i), Pair: fmt.Sprint("pair", i), System: system, Scenario: "1", Repeat: 1, Status: data.Valid, Summary: s})
		}
	}
	return dataset.New(run)
}

const configOfThree = `{"run": {"concurrency": 8}, "summary_judges": [{"name": "j", "provider": "p", "trained_on": "x"}], "models": [
	{"name": "none", "method": "strum", "model": "m", "critiques": []}, {"name": "full", "method": "strum", "model": "m"},
	{"name": "some", "method": "strum", "model": "m", "critiques": ["context", "merge"]}, {"name": "other", "method": "strum", "model": "n"}, {"name": "plain", "model": "m"}]}`

// TestMeasures checks that a table without rows is planned and has no value.
func TestMeasures(t *testing.T) {
	x := made(configOfThree, map[string][]string{"full": {"YYYN", "YY"}, "none": {"YN", "NNYY"}, "some": {"YYNN", ""}})
	tables, err := New(x)
	if err != nil {
		t.Fatal(err)
	}
	some := tables.row("some", "j", chs)
	if some.Planned != 2 || some.Valid != 1 || some.Questions != 1 {
		t.Errorf("%+v", some)
	}
	text := tables.Document().Markdown()
	for _, want := range []string{"j (trained on x)", "| full   | j     |    2 of 2 |    0.88 |",
		"| full   | all            |    0.88 |", "Intervals of fewer than 5 questions are not shown.", "| some   | context, merge | ", "## Published: Table 2 of Gunel et al."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var failed []string
	Outcomes(x, func(judge, system, scenario string, status data.Status, reason string, n int) {
		if status == data.Valid {
			return
		}
		failed = append(failed, fmt.Sprint(judge, system, scenario, status, reason, n))
	})
	if strings.Join(failed, " ") != "jsome1emptyrows: 1" {
		t.Errorf("%v", failed)
	}
	if rows := tables.Section().Table.Markdown(); !strings.Contains(rows, "| some   |         0.50 |          – |                   – | 0.50 |    1 of 2 |") {
		t.Errorf("%s", rows)
	}
}

// TestCritiques checks the difference of a system from the one with the most critiques, on the same questions. With half of the rows
// helpful on four of five questions, it is -.4. With two questions the difference is missing.
func TestCritiques(t *testing.T) {
	full := []string{"YY", "YY", "YY", "YY", "YY"}
	for want, none := range map[string][]string{"−0.40": {"YN", "YN", "YN", "YN", "YY"}, stats.Missing: {"YN", "YY"}} {
		tables, err := New(made(configOfThree, map[string][]string{"full": full, "none": none, "some": full}))
		if err != nil {
			t.Fatal(err)
		}
		view := tables.ablationTable()
		if cell := view.Rows[len(view.Rows)-1]; cell[0].Text != "none" || !strings.HasPrefix(cell[3].Text, want) {
			t.Errorf("%s: the difference is %q, want %s", cell[0].Text, cell[3].Text, want)
		}
	}
}

// TestSpeeds checks the number of tables with rows per second of running calls.
func TestSpeeds(t *testing.T) {
	tables, err := New(made(configOfThree, map[string][]string{"full": {"Y", "Y"}, "none": {"Y", ""}, "some": {"Y", "Y"}}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range tables.Speeds {
		got = append(got, fmt.Sprint(r.System, r.Valid, r.Concurrency, r.Calls, r.Tokens, r.Throughput.Text(2)))
	}
	if want := "full2 8 7 341.33 none1 8 7 3455.56 some2 8 7 34–"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}

// TestRulesAreNoHeadline checks that figures by the judge "rules" are not in report.md, unless the report shows how far they agree with
// people's labels. The document on summaries says what the judge counts.
func TestRulesAreNoHeadline(t *testing.T) {
	config := strings.Replace(configOfThree, `"provider": "p"`, `"provider": "embedded"`, 1)
	x := made(config, map[string][]string{"full": {"YYYN", "YY"}, "none": {"YN", "NNYY"}, "some": {"YYNN", "Y"}})
	tables, err := New(x)
	if err != nil {
		t.Fatal(err)
	}
	if section := tables.Section(); !section.Empty() {
		t.Errorf("%+v", section)
	}
	if text := tables.Document().Markdown(); !strings.Contains(text, "counts words and does not read") || !strings.Contains(text, "0.88") {
		t.Errorf("%s", text)
	}
	x.LabelPlan = append(x.LabelPlan, store.PlanCell{Kind: data.LabelRows, Judge: "human:anna", System: "full", Scenario: "1", Planned: 1})
	first := x.Answers[0].Summary
	first.Labels = append(first.Labels, dataset.SummaryLabels{Judge: "human:anna", Kind: data.LabelRows, Status: data.Valid, Labels: data.Labels{Rows: labelled("YNNN")}})
	if tables, err = New(x); err != nil {
		t.Fatal(err)
	}
	if section := tables.Section(); section.Empty() || !strings.Contains(section.About, "By the judge j, which agrees with people on 0.50") {
		t.Errorf("%+v", section)
	}
}

// TestWithoutTables checks that nothing is reported without contrastive tables.
func TestWithoutTables(t *testing.T) {
	x := made(configOfThree, nil)
	for i := range x.Answers {
		x.Answers[i].Summary = nil
	}
	tables, err := New(x)
	if err != nil || tables.Document().Markdown() != "" || tables.Section().Table.Rows != nil || tables.Measures != nil || tables.Attributed != nil {
		t.Errorf("%+v, %v", tables, err)
	}
}
