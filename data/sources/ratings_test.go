package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

// rated returns the values of a file of ratings, as "criterion unit rater value cluster".
func rated(j *data.Judgements, log *Log) string {
	var all []string
	var units []string
	for i := range log.Items {
		if name := unitOf(&log.Items[i]); !slices.Contains(units, name) {
			units = append(units, name)
		}
	}
	for k, column := range j.Columns {
		for row, item := range column.Item {
			cluster := ""
			if j.Clusters != nil {
				cluster = fmt.Sprint("cluster ", j.Clusters[item])
			}
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", j.Criteria[k].ID, units[item], j.Raters[column.Rater[row]].Name,
				column.Value(row), cluster)))
		}
	}
	return strings.Join(all, "; ")
}

// TestReadRatings checks ratings in long and in wide tables, with all spellings of a missing value.
func TestReadRatings(t *testing.T) {
	for name, c := range map[string]struct {
		text, cluster string
		o             Options
		want          string
	}{
		"a.csv":     {"rater,unit,value,criterion,question\nann,1,4.0,clear,q1\nbob, 1 ,3.50,clear,q1\nann,2,N/A,clear,q1\nann,1, yes,kind,q1\n", "question", Options{}, "clear 1 ann 4 cluster 0; clear 1 bob 3.5 cluster 0; clear 2 ann  cluster 0; kind 1 ann yes cluster 0"},
		"b.csv":     {"unit,rater,value\n1,a,None\n1,b,NULL\n2,a,-\n2,b,1\n", "", Options{}, "- 1 a; - 1 b; - 2 a; - 2 b 1"},
		"wide.csv":  {"id;Anna;Ben;Chris\nx;1,5;2;99\ny;2;2;1\nz;1;1;2\n", "", Options{Missing: []string{"99"}}, "score x Anna 1.5; score x Ben 2; score x Chris; score y Anna 2; score y Ben 2; score y Chris 1; score z Anna 1; score z Ben 1; score z Chris 2"},
		"paren.csv": {"id,good (Ann),good (Ben M.),Comments\na,1,2,hm\nb,2,2,hm\n", "", Options{}, "good a Ann 1; good a Ben M. 2; good b Ann 2; good b Ben M. 2"},
		"first.csv": {"unit,rater,value\n1,a,2\n1,b,2\n1,a,2\n2,a,1\n2,b,1\n", "", Options{}, "- 1 a 2; - 1 b 2; - 2 a 1; - 2 b 1"},
		"mean.csv":  {"unit,rater,value\n1,a,2\n1,b,2\n1,a,3\n2,a,1\n2,b,1\n", "", Options{Repeats: RepeatsMean}, "- 1 a 2.5; - 1 b 2; - 2 a 1; - 2 b 1"},
		"map.csv":   {"nr,who,points,id\n1,a,2,x\n1,b,2,x\n", "", Options{Map: map[string]string{"unit": "nr", "rater": "who", "value": "points"}}, "- 1 a 2; - 1 b 2"},
		"lists.jsonl": {`{"id": "a", "ratings": [1, 2], "rater_ids": ["x", "y"]}` + "\n" + `{"id": "b", "ratings": [2, 2], "rater_ids": ["x", "z"]}`, "", Options{},
			"ratings a x 1; ratings a y 2; ratings b x 2; ratings b z 2"},
	} {
		a, log, err := ReadRatings(write(t, name, c.text), c.cluster, c.o)
		if got := rated(a, log); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

// TestReadRatingsRefuses checks that the error of an unreadable file names the next step.

// TestRatingsOfTexts reads a table whose rows have no ids: the rows with one text are one item.
func TestRatingsOfTexts(t *testing.T) {
	text := "text,rater,score\none,a,1\none,b,2\ntwo,a,3\ntwo,b,3\nthree,a,1\nthree,b,1\n"
	_, log, err := ReadRatings(write(t, "a.csv", text), "", Options{})
	if err != nil || !strings.Contains(log.Summary(true), "6 values of 2 people on 1 criterion of 3 items") {
		t.Errorf("%v\n%s", err, log.Summary(true))
	}
}

func TestReadRatingsRefuses(t *testing.T) {
	conflicts := "unit,rater,turn_no,value\n"
	for i := range 20 {
		conflicts += fmt.Sprintf("%d,a,1,%d\n%d,a,2,%d\n%d,b,1,3\n", i, i%3, i, i%3+1, i)
	}
	for text, want := range map[string]string{
		"":                                          "is empty",
		"unit,rater,value\n":                        "no ratings that can be read",
		"unit,rater,value\n1,a,2\n2,a,3\n":          "all values are of one rater",
		"unit,rater,value\n3,a,2\n4,a,3\n":          "; columns: unit (item: its name), rater (rater: ",
		"unit,rater,value,q\n1,a,2,p\n1,b,2,r\n":    `unit "1" is in q "r" here and in "p" on line 2`,
		"unit,rater,value\n1,a,2\n1,b,3\n":          `has no column "q"`,
		"unit,rater,comment,q\n1,a,good and long\n": "no ratings that can be read",
		conflicts:                                   "the column turn_no makes rows unique: --map turn=turn_no",
	} {
		cluster := ""
		if strings.Contains(want, `q"`) || strings.Contains(want, "q ") {
			cluster = "q"
		}
		if _, _, err := ReadRatings(write(t, "a.csv", text), cluster, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; want %s", text, err, want)
		}
	}
}

// TestReadRatingsOrigins checks that the notes say which labels do not count as people's, by which column, and the flag that counts all.
func TestReadRatingsOrigins(t *testing.T) {
	text := "unit,rater,value,suggestion_accepted\n1,a,2,no\n1,b,3,no\n2,a,1,yes\n2,b,1,no\n"
	want := "of 4 labels in people's file 3 count as people's by the column suggestion_accepted (a model's that a person accepted: 1; " +
		"--map people.origin=none counts all)"
	_, log, err := ReadRatings(write(t, "a.csv", text), "", Options{})
	if err != nil || !slices.Contains(log.Notes, want) {
		t.Errorf("%v, notes %q; want %q", err, log.Notes, want)
	}
}

// TestReadRatingsOfPeople checks tables as people write them: fractions by some raters, a judge's column named in the other order, and single
// typing errors, which are named with their line. A rater who always gave the same value is one if the column's name shows it.
func TestReadRatingsOfPeople(t *testing.T) {
	var fractions, judge, labels, slip, wide, always, whole strings.Builder
	always.WriteString("item,clear_anna,clear_ben,clear_carl,clear_version\n")
	whole.WriteString("item,anna,ben,carl\n")
	fractions.WriteString("item,anna,ben,carl\n")
	judge.WriteString("id,judge_correct,correct_anna,correct_ben\n")
	labels.WriteString("item,anna,ben\n")
	slip.WriteString("item,rater,score\n")
	wide.WriteString("item,clear_anna,clear_ben\n")
	for i := range 120 {
		fmt.Fprintf(&fractions, "q%d,%.1f,%.1f,%d\n", i, float64(i%49)/10, float64(i%47)/10, i%5)
		word := [2]string{"yes", "no"}[i%2]
		fmt.Fprintf(&judge, "q%d,%s,%s,%s\n", i, word, word, word)
		anna, score, clear := word, fmt.Sprint(i%5+1), fmt.Sprint(i%4+1)
		if i == 17 {
			anna, score, clear = "nno", "3r", "tow"
		}
		fmt.Fprintf(&labels, "q%d,%s,%s\n", i, anna, word)
		fmt.Fprintf(&slip, "q%d,a,%d\nq%d,b,%s\n", i, i%5+1, i, score)
		fmt.Fprintf(&wide, "q%d,%d,%s\n", i, i%4+1, clear)
		fmt.Fprintf(&always, "q%d,%d,1,%d,7\n", i, i%2, i/2%2)
		fmt.Fprintf(&whole, "q%d,%d,1,%d\n", i, i%2, i/2%2)
	}
	for name, c := range map[string]struct {
		text   string
		raters string
		values int
		said   string
	}{
		"fractions.csv": {fractions.String(), "anna ben carl", 360, ""},
		"judge.csv":     {judge.String(), "judge anna ben", 360, ""},
		"labels.csv":    {labels.String(), "anna ben", 240, `labels.csv:19: "nno" is a label of its own of score, one letter from "no", which`},
		"slip.csv":      {slip.String(), "a b", 239, `left out: 1 value of score ("3r" at slip.csv:37 is no number)`},
		"comma.csv":     {"item;anna;ben\n1;1,5;2\n2;2;3\n3;3;2\n4;1,5;2\n", "anna ben", 8, ""},
		"always.csv":    {always.String(), "anna ben carl", 360, "left out: column clear_version (always 7)"},
		"whole.csv":     {whole.String(), "anna carl", 240, `column ben (always 1; if it is a rater: --map "rater=anna|carl|ben")`},
		"wide.csv":      {wide.String(), "anna ben", 239, `left out: 1 value of clear ("tow" at wide.csv:19 is no number)`},
	} {
		path := write(t, name, c.text)
		j, log, err := ReadRatings(path, "", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		summary := log.Summary(true)
		said := strings.ReplaceAll(strings.Join(append(log.Notes, summary), "\n"), strings.TrimSuffix(path, name), "")
		raters := strings.Join(data.Each(j.Raters, func(r data.Rater) string { return r.Name }), " ")
		if lines := strings.Join(log.Readings[0].Lines(9), "\n"); name == "comma.csv" && !strings.Contains(lines, "1,5; 2; 3") {
			t.Errorf("the values run into each other:\n%s", lines)
		}
		if raters != c.raters || len(j.Criteria) != 1 || !strings.Contains(said, c.said) || strings.Contains(summary, "missing") ||
			!strings.Contains(summary, fmt.Sprintf("%d values", c.values)) || c.said == "" && len(log.Notes) > 0 {
			t.Errorf("%s: raters %s of %d criteria, and it says\n%s", name, raters, len(j.Criteria), said)
		}
	}
}
