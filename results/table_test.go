package results

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"compqa/data"
	"compqa/rubric"
)

// The columns of every table, as people and programs rely on them.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		write   func(*bytes.Buffer) error
		columns string
	}{
		{func(b *bytes.Buffer) error { return writeCSV(b, []LeaderboardRow{}) },
			"judge,system,scenario,planned,valid,mean,sd,rank,ci_low,ci_high,rank_low,rank_high,worst_case,best_case,human_mean,human_low,human_high,lambda,n_human,n_effective"},
		{func(b *bytes.Buffer) error { return writeCSV(b, []GroupRow{}) }, "judge,system,scenario,group,valid,mean,sd"},
		{func(b *bytes.Buffer) error { return writeCSV(b, []AgreementRow{}) },
			"judge,reference,kind,level,item,planned,n,agreement,alpha_nominal,alpha_ordinal,alpha_interval,alpha_interval_low,alpha_interval_high,spearman,spearman_low,spearman_high,pearson,pearson_low,pearson_high,kendall_tau_b,mean_difference,mae"},
		{func(b *bytes.Buffer) error { return writeCSV(b, []ComparisonRow{}) }, "judge,scenario,system_a,system_b,n_questions,difference,ci_low,ci_high,p,p_adjusted"},
		{func(b *bytes.Buffer) error { return writeCSV(b, []FailureRow{}) }, "kind,judge,system,scenario,status,reason,count"},
		{func(b *bytes.Buffer) error { return newIndex(&Run{}).writeAnswers(b) }, "question,object1,object2,aspect,system,scenario,repeat,status,words,sentences,cost"},
		{func(b *bytes.Buffer) error { return newIndex(&Run{Rubric: rubric.CQA()}).writeVerdicts(b) },
			"question,object1,object2,aspect,system,scenario,repeat,judge,status,total,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,words,sentences,cost"},
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

// gocsv would write NaN and Inf as words, and both of two columns of one name.
func TestCSVGuards(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := writeCSV(&bytes.Buffer{}, []GroupRow{{Mean: figure(v)}}); err == nil {
			t.Errorf("a table with %v is written", v)
		}
		sheet := Sheet{Ending: &Ending{Status: data.Valid}, Scores: []float64{v}}
		if _, err := scoreCells(sheet, 1, nil); err == nil {
			t.Errorf("a verdict with a score of %v is written", v)
		}
	}
	type twice struct {
		A int `csv:"a"`
		B int `csv:"a"`
	}
	if err := writeCSV(&bytes.Buffer{}, []twice{}); err == nil {
		t.Error("a table with two columns of one name is written")
	}
	// c + "ost" is the name of another column
	clash := &Run{Rubric: rubric.Rubric{Criteria: []rubric.Criterion{{ID: "ost", Group: "g", Levels: []rubric.Level{{Points: 0}}}}}}
	if err := newIndex(clash).writeVerdicts(&bytes.Buffer{}); err == nil {
		t.Error("a criterion's column takes the name of another column")
	}
	if err := newCSVTable(&bytes.Buffer{}).Write([]string{"a", ""}); err == nil {
		t.Error("a column without a name is written")
	}
	table := newCSVTable(&bytes.Buffer{})
	if err := table.Write([]string{"a", "b"}); err != nil {
		t.Error(err)
	}
	if err := table.Write([]string{"1"}); err == nil {
		t.Error("a record with a cell too few is written")
	}
}

func TestCSVCells(t *testing.T) {
	var b bytes.Buffer
	tenth := 0.1
	if err := writeCSV(&b, []GroupRow{{Judge: "a,b", System: "say \"x\"", Group: "two\nlines", Mean: figure(tenth + 2*tenth)}}); err != nil {
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
		got, err := figure(v).MarshalCSV()
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
		"–":               Figure{}.text(2),
		"0.00":            figure(-0.001).text(2),
		"-0.01":           figure(-0.009).text(2),
		"1.5 [1.0, 2.0]":  interval(figure(1.5), figure(1), figure(2), 1),
		"1.5":             interval(figure(1.5), Figure{}, Figure{}, 1),
		"2.00 ± 1.00 (3)": cellText(figure(2), figure(1), 3, 3),
		"2.00 ± – (1/3)":  cellText(figure(2), Figure{}, 1, 3),
		"– (0/3)":         cellText(Figure{}, Figure{}, 0, 3),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMarkdownTable(t *testing.T) {
	got := markdownTable(1, []string{"a|b", "n"}, [][]string{{"two\nlines", "1"}, {"日本", "10"}})
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
		if got := escapeMarkdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// tablewriter rewrites headers unless told not to: "score (95% CI)" became
// "SCORE  ( 95 %  CI )", "model_name" "MODEL NAME".
func TestTerminalLeavesHeadersAlone(t *testing.T) {
	table := &textTable{words: 1, header: []string{"model_name", "score (95% CI)", "x"}}
	table.add("a|b", "1.0 [0.5, 1.5]", "")
	table.add("日本語", "2", "3")
	var b bytes.Buffer
	if err := table.terminal(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"model_name", "score (95% CI)", "a|b", "1.0 [0.5, 1.5]", "日本語"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestTerminalLeavesOutEmptyRows(t *testing.T) {
	table := &textTable{words: 1, header: []string{"system", "j"}}
	table.add("scored", "1")
	table.add("unscored", "")
	var b bytes.Buffer
	if err := table.terminal(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "scored") || strings.Contains(b.String(), "unscored") {
		t.Errorf("got\n%s", b.String())
	}
}

func TestTerminalFitsTheScreen(t *testing.T) {
	for _, columns := range []int{0, 1, 4, 5, 30} {
		table := &textTable{words: 2, header: []string{"system", "scenario"}}
		for c := range columns {
			table.header = append(table.header, strings.Repeat("very-long-judge-", 3)+strconv.Itoa(c))
		}
		row := []string{strings.Repeat("システム", 20), "1"}
		for range columns {
			row = append(row, "17.77 ± 1.06 (1234/5678)")
		}
		table.add(row...)
		var b bytes.Buffer
		if err := table.shortened().terminal(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if w := runewidth.StringWidth(strings.TrimRight(line, " \n")); w > screen {
				t.Errorf("%d columns: a line is %d wide: %s", columns, w, line)
			}
		}
		if n := strings.Count(b.String(), "17.77"); n != columns {
			t.Errorf("%d of %d columns are printed", n, columns)
		}
	}
}
