package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// TestColumns fixes the columns of every table, on which people and programs rely.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		write   func(*bytes.Buffer) error
		columns string
	}{
		{func(b *bytes.Buffer) error { return table.CSV([]leaderboard.LeaderboardRow{})(b) },
			"judge,system,scenario,planned,valid,mean,sd,rank,ci_low,ci_high,rank_low,rank_high,worst_case,best_case,human_mean,human_low,human_high,lambda,n_human,n_effective"},
		{func(b *bytes.Buffer) error { return table.CSV([]leaderboard.GroupRow{})(b) }, "judge,system,scenario,group,valid,mean,sd"},
		{func(b *bytes.Buffer) error { return table.CSV([]judgequality.AgreementRow{})(b) },
			"judge,reference,kind,level,item,planned,n,agreement,alpha_nominal,alpha_ordinal,alpha_interval,alpha_interval_low,alpha_interval_high,spearman,spearman_low,spearman_high,pearson,pearson_low,pearson_high,kendall_tau_b,mean_difference,mae,fitted_on,unit"},
		{func(b *bytes.Buffer) error { return table.CSV([]leaderboard.ComparisonRow{})(b) }, "judge,scenario,system_a,system_b,n_questions,difference,ci_low,ci_high,p,p_adjusted"},
		{func(b *bytes.Buffer) error { return table.CSV([]judgequality.PanelRow{})(b) }, "judges,n,mean_error_correlation,n_effective,low,high,n_effective_corrected,alpha_panel,alpha_best,best"},
		{func(b *bytes.Buffer) error { return table.CSV([]judgequality.HaloRow{})(b) }, "judge,n,mean_correlation,people_mean_correlation,halo,low,high,effective_criteria,constant_criteria"},
		{func(b *bytes.Buffer) error { return table.CSV([]FailureRow{})(b) }, "kind,judge,system,scenario,status,reason,count"},
		{func(b *bytes.Buffer) error { return writeAnswers(dataset.New(&dataset.Run{}), b) }, "id,question,object1,object2,aspect,system,scenario,repeat,status,choice,words,sentences,cost"},
		{func(b *bytes.Buffer) error {
			return writeVerdicts(dataset.New(&dataset.Run{Rubric: rubric.CQA()}), b)
		},
			"id,question,object1,object2,aspect,system,scenario,repeat,judge,status,total,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,words,sentences,cost"},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Error(err)
		}
		if b.String() != c.columns+"\n" {
			t.Errorf("the columns are\n%swant\n%s", b.String(), c.columns)
		}
	}
}

// NaN, infinities, and two columns with one name are errors.
func TestCSVGuards(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := table.CSV([]leaderboard.GroupRow{{Mean: stats.Number(v)}})(&bytes.Buffer{}); err == nil {
			t.Errorf("a table with %v is written", v)
		}
		run := &dataset.Run{Rubric: recordtest.SmallRubric(), Answers: []dataset.AnswerRow{{}}, Judges: []store.Participant{{}},
			Sheets: []data.Given{{Ending: &data.Ending{Status: data.Valid, Scores: []float64{v}}}}}
		if err := writeVerdicts(dataset.New(run), &bytes.Buffer{}); err == nil {
			t.Errorf("a verdict with a score of %v is written", v)
		}
	}
	type twice struct {
		A int `csv:"a"`
		B int `csv:"a"`
	}
	if err := table.CSV([]twice{})(&bytes.Buffer{}); err == nil {
		t.Error("a table with two columns of one name is written")
	}
	// c + "ost" is also the name of another column
	clash := &dataset.Run{Rubric: rubric.Rubric{Criteria: []rubric.Criterion{{ID: "ost", Group: "g", Levels: []rubric.Level{{Points: 0}}}}}}
	if err := writeVerdicts(dataset.New(clash), &bytes.Buffer{}); err == nil {
		t.Error("a criterion's column takes the name of another column")
	}
	if err := table.NewCSVWriter(&bytes.Buffer{}).Write([]string{"a", ""}); err == nil {
		t.Error("a column without a name is written")
	}
	view := table.NewCSVWriter(&bytes.Buffer{})
	if err := view.Write([]string{"a", "b"}); err != nil {
		t.Error(err)
	}
	if err := view.Write([]string{"1"}); err == nil {
		t.Error("a record with a cell too few is written")
	}
}

// CSV quotes commas, quotation marks and line breaks. A missing figure is an empty cell. A number has as many digits as are needed to
// read the same number back.
func TestCSVCells(t *testing.T) {
	var b bytes.Buffer
	tenth := 0.1
	if err := table.CSV([]leaderboard.GroupRow{{Judge: "a,b", System: "say \"x\"", Group: "two\nlines", Mean: stats.Number(tenth + 2*tenth)}})(&b); err != nil {
		t.Fatal(err)
	}
	want := "judge,system,scenario,group,valid,mean,sd\n\"a,b\",\"say \"\"x\"\"\",,\"two\nlines\",0,0.30000000000000004,\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	if records, err := csv.NewReader(&b).ReadAll(); err != nil || records[1][6] != "" {
		t.Errorf("a missing figure reads back as %q: %v", records[1][6], err)
	}
	for v, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", 19: "19", 17.5: "17.5", 1e6: "1000000", -1e-5: "-0.00001", 5e-324: "5e-324", 1e300: "1e+300", 1.0 / 3: "0.3333333333333333"} {
		got, err := stats.Number(v).MarshalCSV()
		if err != nil || got != want {
			t.Errorf("%v is written %q, want %q: %v", v, got, want, err)
		}
		if back, err := strconv.ParseFloat(got, 64); err != nil || back != v {
			t.Errorf("%q reads back as %v, want %v", got, back, v)
		}
	}
}

func TestFigureText(t *testing.T) {
	for want, got := range map[string]string{
		"–":              stats.Figure{}.Text(2),
		"0.00":           stats.Number(-0.001).Text(2),
		"−0.01":          stats.Number(-0.009).Text(2),
		"1.5 [1.0, 2.0]": stats.Bound(stats.Number(1.5), stats.Number(1), stats.Number(2)).Text(1),
		"1.5":            stats.Bound(stats.Number(1.5), stats.Figure{}, stats.Figure{}).Text(1),
		"2.00 (3)":       table.CellText(stats.Number(2), stats.Number(1), 3, 3).Text,
		"2.00 (1/3)":     table.CellText(stats.Number(2), stats.Figure{}, 1, 3).Text,
		"– (0/3)":        table.CellText(stats.Figure{}, stats.Figure{}, 0, 3).Text,
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A Markdown table pads its columns by display width and puts each cell on one line. EscapeMarkdown escapes only text that Markdown would
// read as markup, so "out_of_range" stays as it is.
func TestMarkdownTable(t *testing.T) {
	view := table.New(1, "a|b", "n")
	view.Add("two\nlines", 1)
	view.Add("日本", 10)
	got := view.Markdown()
	want := "| a\\|b      |   n |\n| --------- | --: |\n| two lines |   1 |\n| 日本      |  10 |\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for text, want := range map[string]string{
		"":                       "",
		"out_of_range":           "out_of_range",
		"_x_":                    `\_x\_`,
		"a | b":                  `a \| b`,
		`a\|b`:                   `a\\\|b`,
		"<script>&amp;":          "&lt;script>&amp;amp;",
		"**bold** `code` ~~no~~": `\*\*bold\*\* \` + "`code\\` " + `\~\~no\~\~`,
		"[text](http://x)":       `\[text](http://x)`,
		"0.5 [0.4, 0.6]":         "0.5 [0.4, 0.6]",
		" a \r\n\t b ":           "a b",
	} {
		if got := table.EscapeMarkdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// By default, tablewriter rewrites headers: "score (95% CI)" becomes "SCORE  ( 95 %  CI )", and "model_name" becomes "MODEL NAME".
func TestTerminalLeavesHeadersAlone(t *testing.T) {
	view := table.New(1, "model_name", "score (95% CI)", "x")
	view.Add("a|b", "1.0 [0.5, 1.5]", "")
	view.Add("日本語", "2", "3")
	var b bytes.Buffer
	if err := view.Terminal(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"model_name", "score (95% CI)", "a|b", "1.0 [0.5, 1.5]", "日本語"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestTerminalLeavesOutEmptyRows(t *testing.T) {
	view := table.New(1, "system", "j")
	view.Add("scored", "1")
	view.Add("unscored", "")
	var b bytes.Buffer
	if err := view.Terminal(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "scored") || strings.Contains(b.String(), "unscored") {
		t.Errorf("got\n%s", b.String())
	}
}

// No printed line is wider than the screen, and every column is printed.
func TestTerminalFitsTheScreen(t *testing.T) {
	for _, columns := range []int{0, 1, 4, 5, 30} {
		view := table.New(2, "system", "scenario")
		for c := range columns {
			view.Header = append(view.Header, strings.Repeat("very-long-judge-", 3)+strconv.Itoa(c))
		}
		row := []any{strings.Repeat("システム", 20), "1"}
		for range columns {
			row = append(row, "17.77 (1234/5678)")
		}
		view.Add(row...)
		for _, screen := range []int{70, table.Screen, 160} {
			var b bytes.Buffer
			if err := view.Shortened().TerminalWidth(&b, screen); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if w := runewidth.StringWidth(strings.TrimRight(line, " \n")); w > screen {
					t.Errorf("%d columns on %d: a line is %d wide: %s", columns, screen, w, line)
				}
			}
			if n := strings.Count(b.String(), "17.77"); n != columns {
				t.Errorf("%d of %d columns are printed", n, columns)
			}
		}
	}
}

// Criteria on which answers, or judges that read them, differ are marked. A score sheet marks a judge's points outside the range of
// people's points, but never points of people or baselines.
func TestCasesMark(t *testing.T) {
	of := func(judge, answer string, points float64) Verdict {
		v := data.Verdict{Judge: judge, Answer: answer, Status: data.Valid, Scores: data.Scores{"x": points}}
		return Verdict{Verdict: v, Name: judge, Floor: judge == "constant"}
	}
	unjudged := Verdict{Verdict: data.Verdict{Judge: "j", Answer: "b", Status: NotJudged}, Name: "j"}
	for name, test := range map[string]struct {
		verdicts []Verdict
		marked   bool
	}{
		"judges and a floor":        {[]Verdict{of("j", "a", 1), of("k", "a", 1), of("constant", "a", 5)}, false},
		"judges differ":             {[]Verdict{of("j", "a", 1), of("k", "a", 2)}, true},
		"two answers":               {[]Verdict{of("j", "a", 1), of("human", "a", 1), of("j", "b", 2), of("human", "b", 2)}, true},
		"an answer without verdict": {[]Verdict{of("j", "a", 1), unjudged}, false},
	} {
		shown := CriteriaTable(recordtest.OneCriterion(), test.verdicts)
		if marked := strings.HasPrefix(shown.Rows[0][0].Text, "≠"); marked != test.marked {
			t.Errorf("%s: marked %v", name, marked)
		}
	}
	for name, test := range map[string]struct {
		verdicts []Verdict
		want     string // marks of the columns, people first
	}{
		"a floor is more":          {[]Verdict{of("j", "a", 1), of("human", "a", 1), of("constant", "a", 5)}, "1 1 5"},
		"a judge is less":          {[]Verdict{of("j", "a", 1), of("human", "a", 2)}, "2 1▼"},
		"a judge is more":          {[]Verdict{of("j", "a", 3), of("human", "a", 2)}, "2 3▲"},
		"between people":           {[]Verdict{of("j", "a", 2), of("human:1", "a", 1), of("human:2", "a", 3), of("human", "a", 2)}, "1 3 2"},
		"nobody to be compared to": {[]Verdict{of("j", "a", 1), of("k", "a", 3)}, "1 3"},
	} {
		sheet := SheetTable(recordtest.OneCriterion(), test.verdicts)
		var texts []string
		for _, cell := range sheet.Rows[0][1:] {
			texts = append(texts, cell.String())
		}
		if got := strings.Join(texts, " "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestSignedSpan checks the words for judge minus people.
func TestSignedSpan(t *testing.T) {
	for want, values := range map[string][]float64{"1.1 to 2.4 points more": {2.4, 1.1}, "0.5 points fewer": {-.5}, "0.3 to 2.0 points fewer": {-2, -.3},
		"1.0 points fewer to 2.0 more": {2, -1}} {
		if got := signedSpan(values, 1); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}

// A column with a choice is called "choice", and its values are a, b and tie. Only people's choice on a pair, next to it, is called
// "label", as in files of pairs.
func TestChoiceColumns(t *testing.T) {
	tables := map[string]bool{}
	for _, described := range Tables() {
		for _, c := range described.Columns {
			unit := strings.ReplaceAll(c.Unit, "`", "")
			states := strings.HasPrefix(unit, "a, b, tie") || strings.HasPrefix(unit, "a (object1), b (object2), tie") || strings.Contains(unit, "object1, object2")
			switch c.Column {
			case "choice":
				tables[described.File] = true
				if !states {
					t.Errorf("%s: the values of choice are %q", described.File, c.Unit)
				}
			case "label":
				if !strings.HasPrefix(unit, "a, b, tie, none") {
					t.Errorf("%s: the values of label are %q", described.File, c.Unit)
				}
			case "chosen", "preferred", "preference", "winner", "better_answer", "favoured", "decided_for":
				t.Errorf("%s: %s names a choice; the column is choice", described.File, c.Column)
			default:
				if states {
					t.Errorf("%s: %s has the values of a choice (%s); the column is choice", described.File, c.Column, c.Unit)
				}
			}
		}
	}
	for _, file := range []string{"answers.csv", "preferences.csv"} {
		if !tables[file] {
			t.Errorf("%s has no choice", file)
		}
	}
}

// Short texts of levels replace points, and a single criterion is the total.
func TestSheetInWords(t *testing.T) {
	r := rubric.Rubric{Criteria: []rubric.Criterion{{ID: "1", Name: "correct", Text: "correct",
		Levels: []rubric.Level{{Points: 0, Text: "no"}, {Points: 1, Text: "yes"}}}}}
	one := 1.0
	sheet := SheetTable(r, []Verdict{{Verdict: data.Verdict{Judge: "log", Status: data.Valid, Scores: data.Scores{"1": 1}, Total: &one,
		Reason: "it is"}, Name: "log"}})
	if len(sheet.Rows) != 1 || sheet.Rows[0][0].Text != "correct" || sheet.Rows[0][1].Text != "yes" || sheet.Rows[0][0].Row.Below[0].Text != "it is" {
		t.Errorf("%+v", sheet.Rows)
	}
	if text := LevelText(r.Criteria[0], .5); text != "0.5" {
		t.Errorf("the mean of two people is %q", text)
	}
}
