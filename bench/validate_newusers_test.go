package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/results/validation"
)

// TestFilesOfNewUsers: files as users bring them, each with the same 20 scores by people. The figure must be that of the plain table, or
// the message must say what to do next. Quadratic kappa is .950, by the formula in Python.
func TestFilesOfNewUsers(t *testing.T) {
	t.Parallel()
	var judge, people []int
	for i := range 20 {
		judge = append(judge, 1+i*7%5)
		people = append(people, min(5, 1+i*7%5+i%4/3))
	}
	table := func(head string, row func(i, value int) string) string {
		var b strings.Builder
		b.WriteString(head)
		for i, value := range people {
			b.WriteString(row(i+1, value))
		}
		return b.String()
	}
	across := func(name string) string {
		ids, values := name, name+" A"
		for i, value := range people {
			ids, values = ids+fmt.Sprintf(",%s r%d", name, i+1), values+fmt.Sprintf(",%d", value)
		}
		return ids + "\n" + values + "\n" + values + "2\n"
	}
	words := []string{"", "Very bad", "Bad", "Okay", "Good", "Very good"}
	for name, c := range map[string]struct {
		content, want string
		flags         []string
	}{
		"plain.csv": {content: table("id,quality\n", func(i, v int) string { return fmt.Sprintf("r%d,%d\n", i, v) })},
		"stars.csv": {content: table("id,quality\n", func(i, v int) string {
			return fmt.Sprintf("r%d,%s%s\n", i, strings.Repeat("★", v), strings.Repeat("☆", 5-v))
		})},
		"fractions.csv": {content: table("id,quality\n", func(i, v int) string { return fmt.Sprintf("r%d,%d/5\n", i, v) })},
		"words.csv":     {content: table("id,quality\n", func(i, v int) string { return fmt.Sprintf("r%d,%s (%d)\n", i, words[v], v) })},
		"german.csv": {content: table("Nr.;Bewerter;Kriterium;Punktzahl\n", func(i, v int) string {
			return fmt.Sprintf("r%d;Anna;quality;%d,0\n", i, v)
		})},
		"merged.csv": {content: table("A study,,\nItem,quality,\n,Anna,Ben\n", func(i, v int) string { return fmt.Sprintf("r%d,%d,%d\n", i, v, v) })},
		"tool.json": {content: `{"cases": [` + strings.TrimSuffix(table("", func(i, v int) string {
			return fmt.Sprintf(`{"caseRef": "r%d", "evaluation": {"metrics": [{"metricName": "quality", "metricValue": %d}]}},`, i, v)
		}), ",") + "]}"},
		"survey.csv": {content: table("StartDate,ResponseId,ext_ref,quality\n", func(i, v int) string {
			return fmt.Sprintf("2026-01-02 10:00,R_%05xab,r%d,%d\n", i*977, i, v)
		}), flags: []string{"--map", "people.item=ext_ref"}},
		"french.csv": {content: table("Numéro;Évaluateur;Critère;Note;Commentaire\n", func(i, v int) string {
			return fmt.Sprintf("r%d;René;quality;%d,0;\"bien, merci\"\n", i, v)
		})},
		"markdown.md": {content: table("| id | quality |\n|:---|---:|\n", func(i, v int) string { return fmt.Sprintf("| r%d | %d |\n", i, v) })},
		"prodigy.jsonl": {content: table("", func(i, v int) string {
			return fmt.Sprintf(`{"text": "t", "meta": {"id": "r%d", "criterion": "quality"}, "options": [{"id": "1", "text": "1"}], "accept": ["%d"], "answer": "accept"}`+"\n", i, v)
		})},
		"labelbox.json": {content: `{"data_rows": [` + strings.TrimSuffix(table("", func(i, v int) string {
			return fmt.Sprintf(`{"data_row": {"external_id": "r%d"}, "projects": {"p": {"labels": [{"label_details": {"created_by": "a@b.c"}, `+
				`"annotations": {"classifications": [{"name": "quality", "radio_answer": {"name": "%d"}}]}}]}}},`, i, v)
		}), ",") + "]}"},
		"keyed.json": {content: "{" + strings.TrimSuffix(table("", func(i, v int) string {
			return fmt.Sprintf(`"r%d": {"quality": %d, "reviewer": "ann"},`, i, v)
		}), ",") + "}", want: "whose members are records by their ids"},
		"columns.json": {content: `{"id": {"0": "r1", "1": "r2"}, "quality": {"0": 3, "1": 4}}`, want: `to_json(path, orient="records")`},
		"form.csv":     {content: across("Rate"), want: "exchange rows and columns"},
		"headless.csv": {content: table("", func(i, v int) string { return fmt.Sprintf("r%d,%d\n", i, v) }), want: "no line with names of columns"},
		"own.csv":      {content: table("id,quality\n", func(i, v int) string { return fmt.Sprintf("x%d,%d\n", 7*i+3, v) }), want: "no item of the log"},
	} {
		dir := t.TempDir()
		path, log := filepath.Join(dir, name), filepath.Join(dir, "log.csv")
		rows := "id,quality\n"
		for i, value := range judge {
			rows += fmt.Sprintf("r%d,%d\n", i+1, value)
		}
		for file, content := range map[string]string{path: c.content, log: rows} {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f := parsedFlags(t, append([]string{"--people", path, "--seed", "1"}, c.flags...)...)
		r, err := f.compute([]string{log})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			continue
		}
		if err != nil || len(r.Pairings) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if figure := r.Pairings[0].Figure("kappa_weighted"); !figure.Known || figure.Text(3) != "0.950" || r.Join.Joined != 20 {
			t.Errorf("%s: kappa %s of %d items", name, figure.Text(3), r.Join.Joined)
		}
	}
}

// TestOneFileOfBothSides: a column that is mapped to the judge is not a person of the same file. People's alpha is 1 - (2/9) / (160/306),
// by the formula for two people with 10 of 18 values equal to 1.
func TestOneFileOfBothSides(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.csv")
	text := "id,judge,Anna,Ben\n"
	for i, row := range []string{"1,1,1", "0,0,0", "1,1,0", "0,0,1", "1,1,1", "0,1,1", "1,0,0", "0,0,0", "1,1,1"} {
		text += fmt.Sprintf("a%d,%s\n", i, row)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, named := range [][]string{{"--map", "judge.correct=judge"}, {"--judge", "grader=judge"}} {
		f := parsedFlags(t, append([]string{"--people", file}, named...)...)
		r, err := f.compute([]string{file})
		if err != nil || len(r.Pairings) != 1 {
			t.Fatal(named, err)
		}
		alpha := r.Pairings[0].Rows[slices.IndexFunc(r.Pairings[0].Rows, func(row validation.Row) bool { return row.Reference == validation.Among })].Alpha.Point()
		if alpha.Text(3) != "0.575" {
			t.Errorf("%v: people's alpha is %s, want 0.575", named, alpha.Text(3))
		}
		if read := f.summaries[1]; !strings.Contains(read, "18 values of 2 people") ||
			!strings.Contains(read, "column judge (the judge's: "+strings.Join(named, " ")+")") {
			t.Errorf("%v: %s", named, read)
		}
	}
}

// TestFilesWithColumnsOfOthers: files as users bring them, with scores of two people on the same 30 items. The figures must be those of the
// plain table, or the message must say what is wrong. Krippendorff's alpha of the judge with people's mean is .989, by the formula in
// Python.
func TestFilesWithColumnsOfOthers(t *testing.T) {
	t.Parallel()
	judge := func(i int) int { return 1 + i*7%5 }
	anna := func(i int) int { return max(1, judge(i)-i%6/5) }
	ben := func(i int) int { return min(5, judge(i)+i%4/3) }
	yes := func(value int) string { return map[bool]string{true: "yes", false: "no"}[value > 2] }
	table := func(head string, row func(i int) string) string {
		for i := range 30 {
			head += row(i) + "\n"
		}
		return head
	}
	plain := table("id,quality\n", func(i int) string { return fmt.Sprintf("%d,%d", i+1, judge(i)) })
	wide := func(head, format string) string {
		return table(head+"\n", func(i int) string { return fmt.Sprintf(format, i+1, anna(i), ben(i)) })
	}
	for name, c := range map[string]struct{ log, people, want string }{
		"plain": {plain, wide("id,quality_anna,quality_ben", "%d,%d,%d"), ""},
		"zeros": {table("item_id,quality\n", func(i int) string { return fmt.Sprintf("item_%03d,%d", i+1, judge(i)) }), wide("id,Anna,Ben", "%d,%d,%d"), ""},
		"keys":  {table("id,quality\n", func(i int) string { return fmt.Sprintf("Q-%d,%d", i+1, judge(i)) }), wide("Q,Anna,Ben", "q%02d,%d,%d"), ""},
		"aspects": {plain, table("Nr,Who,Question,Rating\n", func(i int) string {
			return fmt.Sprintf("%d,Anna,Quality,%d\n%[1]d,Ben,Quality,%[3]d\n%[1]d,Anna,Tone,%[2]d\n%[1]d,Ben,Tone,1", i+1, anna(i), ben(i))
		}), "has the name"},
		"two aspects": {table("id,quality,tone\n", func(i int) string { return fmt.Sprintf("%d,%d,%d", i+1, judge(i), 1+i%3) }),
			table("Nr,Rater,Question,Rating\n", func(i int) string {
				return fmt.Sprintf("%d,Anna,Quality,%d\n%[1]d,Ben,Quality,%[3]d\n%[1]d,Anna,Tone,%[4]d\n%[1]d,Ben,Tone,%[4]d", i+1, anna(i), ben(i), 1+i%3)
			}), ""},
		"person and person's criterion": {table("id,quality,correct\n", func(i int) string { return fmt.Sprintf("%d,%d,%s", i+1, judge(i), yes(judge(i))) }),
			table("id,Anna,Anna correct,Ben,Ben correct\n", func(i int) string {
				return fmt.Sprintf("%d,%d,%s,%d,%s", i+1, anna(i), yes(anna(i)), ben(i), yes(ben(i)))
			}), ""},
		"confidence": {plain, table("id,Anna,Anna confidence,Ben,Ben confidence\n", func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%d,%d", i+1, anna(i), 1+i*i%5, ben(i), 1+i*i*3%5)
		}), ""},
		"deviations": {plain, table("id,Anna,Ben,sd\n", func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%.2f", i+1, anna(i), ben(i), float64(1+i%7)/9)
		}), ""},
		"mean with few fractions": {plain, table("id,Anna,Ben,mittlere,sd\n", func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%.1f,%.2f", i+1, anna(i), ben(i), float64(anna(i)+ben(i))/2, float64(1+i%7)/9)
		}), "mittlere is the mean of others"},
		"mean that is declared": {plain, table("id,quality_anna,quality_ben,quality_avg\n", func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%.1f", i+1, anna(i), ben(i), float64(anna(i)+ben(i))/2)
		}), `avg is the mean of others`},
		"models": {table("id,judge_model,quality\n", func(i int) string { return fmt.Sprintf("%d,gpt-4o,%d\n%[1]d,claude-3,%d", i+1, judge(i), 1+i*i%5) }),
			wide("id,Anna,Ben", "%d,%d,%d"), ""},
		"nested": {table("", func(i int) string {
			return fmt.Sprintf(`{"item": {"id": "t%d"}, "result": {"quality": %d, "confidence": %d}}`, i+1, judge(i), 1+i*i%5)
		}), wide("task,Anna,Ben", "t%d,%d,%d"), ""},
	} {
		dir := t.TempDir()
		people := filepath.Join(dir, "people.csv")
		log := filepath.Join(dir, "log.csv")
		if strings.HasPrefix(c.log, "{") {
			log = filepath.Join(dir, "log.jsonl")
		}
		for file, content := range map[string]string{people: c.people, log: c.log} {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := parsedFlags(t, "--people", people, "--seed", "1").compute([]string{log})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			continue
		}
		if err != nil || len(r.Pairings) == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if figure := r.Pairings[0].Figure("alpha"); !figure.Known || figure.Text(3) != "0.989" || len(r.Pairings[0].Rows) < 2 {
			t.Errorf("%s: alpha %s of %s", name, figure.Text(3), r.Pairings[0].Criterion)
		}
	}
}

// TestBatchesOfOneJudge: several logs of one judge are joined if they have different items. Different values of the same items are refused.
// A name that --judge has twice is an error.
func TestBatchesOfOneJudge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	batch := func(name string, from, to, shift int) string {
		text := "id,judge,quality\n"
		for i := from; i < to; i++ {
			text += fmt.Sprintf("%d,gpt,%d\n", i, 1+(i+shift)%5)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := batch("first.csv", 0, 15, 0)
	second := batch("second.csv", 15, 30, 0)
	other := batch("other.csv", 0, 15, 2)
	people := batch("people.csv", 0, 30, 0)
	labels, err := os.ReadFile(people)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(people, []byte(strings.ReplaceAll(string(labels), ",gpt,", ",ann,")), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := parsedFlags(t, "--people", people).compute([]string{first, second, first}); err != nil || r.Join.Joined != 30 {
		t.Errorf("two batches: %v", err)
	}
	_, err = parsedFlags(t, "--people", people).compute([]string{first, other})
	if err == nil || !strings.Contains(err.Error(), "15 of 15 items have values of one judge that differ between files, for instance 0: gpt gave 1") {
		t.Errorf("other values: %v", err)
	}
	if _, err := parsedFlags(t, "--people", people, "--repeats", "last").compute([]string{first, other}); err != nil {
		t.Errorf("--repeats last: %v", err)
	}
	_, err = parsedFlags(t, "--people", people, "--judge", "gpt=quality", "--judge", "gpt=id").compute([]string{first})
	if err == nil || !strings.Contains(err.Error(), "--judge has gpt twice, for quality and for id; several criteria") {
		t.Errorf("a name twice: %v", err)
	}
}
