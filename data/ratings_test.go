package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// withoutLines is the table without where its ratings stand.
func withoutLines(a Annotations) Annotations {
	a.Path = ""
	for i := range a.Criteria {
		for k := range a.Criteria[i].Ratings {
			a.Criteria[i].Ratings[k].Line = 0
		}
	}
	return a
}

func TestReadRatingsInEveryForm(t *testing.T) {
	want := Annotations{Named: true, Clustered: true, Criteria: []Annotated{
		{Criterion: "clear", Ratings: []Rating{
			{Unit: "1", Rater: "ann", Cluster: "q1", Value: "4"},
			{Unit: "1", Rater: "bob", Cluster: "q1", Value: "3.5"},
			{Unit: "2", Rater: "ann", Cluster: "q1"},
		}},
		{Criterion: "kind", Ratings: []Rating{{Unit: "1", Rater: "ann", Cluster: "q1", Value: "yes"}}},
	}}
	files := map[string]string{
		"a.csv": "\ufeffrater,unit,value,criterion,text,question\n" +
			"ann,1,4.0,clear,\"a, b\",q1\nbob, 1 ,3.50,clear,,q1\nann,2,,clear,,q1\nann,1, yes,kind,,q1\n",
		"a.tsv": "unit\trater\tcriterion\tvalue\tquestion\n1\tann\tclear\t4\tq1\n1\tbob\tclear\t3.5\tq1\n2\tann\tclear\t\tq1\n1\tann\tkind\tyes\tq1\n",
		"a.jsonl": `{"unit": 1, "rater": "ann", "criterion": "clear", "value": 4, "question": "q1", "more": [1]}
{"unit": "1", "rater": "bob", "criterion": "clear", "value": "3.5", "question": "q1"}

{"unit": 2, "rater": "ann", "criterion": "clear", "value": null, "question": "q1"}
{"unit": 1, "rater": "ann", "criterion": "kind", "value": "yes", "question": "q1"}`,
	}
	for name, content := range files {
		got, err := ReadRatings(write(t, name, content), "question")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got = withoutLines(got); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

func TestReadRatingsWithoutOptionalColumns(t *testing.T) {
	got, err := ReadRatings(write(t, "a", "unit,rater,value,question\n1,ann,2,q1\n1,bob,true,q2\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if got.Clustered || len(got.Criteria) != 1 || got.Criteria[0].Criterion != NoCriterion || got.Criteria[0].Ratings[1].Line != 3 {
		t.Errorf("got %+v", got)
	}
	got, err = ReadRatings(write(t, "a", "unit,rater,value,cluster\n1,ann,2,q1\n"), "")
	if err != nil || !got.Clustered || got.Criteria[0].Ratings[0].Cluster != "q1" {
		t.Errorf("a column named cluster is not taken: %+v, %v", got, err)
	}
}

func TestReadRatingsFaults(t *testing.T) {
	for _, c := range []struct {
		name, content, cluster string
		line                   int // 0: the error is about the whole file
		says                   string
	}{
		{"a.csv", "", "", 0, "a header line is needed"},
		{"a.csv", "unit,rater,value\n", "", 0, "has no ratings"},
		{"a.csv", "unit,raters,value\n1,a,2\n", "", 1, `there is no column "rater"; did you mean "raters"?`},
		{"a.csv", "item,who,score\n1,a,2\n", "", 1, `there is no column "unit"; the columns are item, who, score`},
		{"a.csv", "unit,rater,value\n1,a,2\n", "question", 1, `there is no column "question"`},
		{"a.csv", "unit,rater,value\n1,a,2\n1,,2\n", "", 3, "rater is missing"},
		{"a.csv", "unit,rater,value,question\n1,a,2,q\n2,a,2,\n", "question", 3, "question is missing"},
		{"a.csv", "unit,rater,value\n1,a,2\n2,a,2\n1,a,2\n", "", 4, `line 2 already has a rating of unit "1" by "a"; ratings on several criteria`},
		{"a.csv", "unit,rater,value,criterion\n1,a,2,x\n1,a,2,y\n1,a,,x\n", "", 4, `line 2 already has a rating of unit "1" by "a" on "x"`},
		{"a.csv", "unit,rater,value,criterion\n1,a,2,x\n1,a,2,\n", "", 3, "criterion is missing"},
		{"a.csv", "unit,rater,value,q\n1,a,2,p\n1,b,2,r\n", "q", 3, `unit "1" is in q "r" here and in "p" on line 2`},
		{"a.csv", "unit,rater,value\n1,a,2\n1,b,NA\n", "", 3, "the value is NA; leave the value of a missing rating empty"},
		{"a.csv", "unit,rater,value\n1,a\n", "", 2, "2 cells, but the header has 3 columns"},
		{"a.csv", "unit,rater,value\n1,\"a,2\n", "", 2, "quote"},
		{"a.jsonl", "{\"unit\": 1, \"rater\": \"a\", \"value\": 2}\n{\"unit\": 2, \"rater\": \"a\", \"valeu\": 2}\n", "", 2, `there is no column "value"; did you mean "valeu"?`},
		{"a.jsonl", "{\"unit\": 1, \"rater\": \"a\", \"value\": [2]}\n", "", 1, "value is [2]; a number or a label is needed"},
		{"a.jsonl", "{\"unit\": 1, \"rater\": \"a\", \"value\": 2}\n{\"unit\": 2, \"rater\": \"a\", \"value\": 2, \"criterion\": \"x\"}\n", "", 2, "this line has a criterion, but earlier lines have none"},
		{"a.jsonl", "{\"unit\": 1,\n", "", 1, "not JSON: unexpected end"},
	} {
		_, err := ReadRatings(write(t, c.name, c.content), c.cluster)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want …%s…", c.content, err, c.says)
			continue
		}
		var line *LineError
		if errors.As(err, &line) != (c.line > 0) || c.line > 0 && line.Line != c.line {
			t.Errorf("%q: %v, want it at line %d", c.content, err, c.line)
		}
	}
	if _, err := ReadRatings(filepath.Join(t.TempDir(), "none.csv"), ""); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestPlainValue(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "  ": "", " yes ": "yes", "Yes": "Yes", "4": "4", "4.0": "4", "+4": "4", "04": "4", "4e0": "4", "3.50": "3.5",
		"-0": "0", "0.30000000000000004": "0.3", "123456789012345": "123456789012345", "1e300": "1e+300", "1e999": "1e999", "Inf": "Inf", "n/a": "n/a",
	} {
		if got, err := NormaliseValue(text); err != nil || got != want {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"NA", "NaN", "nan", "null", " NA "} {
		if got, err := NormaliseValue(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func TestParseScale(t *testing.T) {
	got, err := ParseScale("1, 2.0,no")
	if err != nil || !reflect.DeepEqual(got, []string{"1", "2", "no"}) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", "1", "1,,2", "1,1.0", "1,NA"} {
		if got, err := ParseScale(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// What is read can be written as CSV and read again, and is the same.
func FuzzReadRatings(f *testing.F) {
	f.Add([]byte("unit,rater,value\n1,a,2\n1,b,3\n"))
	f.Add([]byte("unit\trater\tvalue\tcriterion\n1\ta\t2\tx\n"))
	f.Add([]byte(`{"unit": 1, "rater": "a", "value": 2.50, "cluster": "c"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		first, err := ReadRatings(write(t, "f", string(content)), "")
		if err != nil {
			return
		}
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Write([]string{"unit", "rater", "value", "criterion", "cluster"})
		n := 0
		for _, c := range first.Criteria {
			for _, r := range c.Ratings {
				n++
				if r.Cluster == "" {
					r.Cluster = "one"
				}
				w.Write([]string{r.Unit, r.Rater, r.Value, c.Criterion, r.Cluster})
			}
		}
		w.Flush()
		if n == 0 {
			t.Fatal("no ratings and no error")
		}
		if strings.Contains(b.String(), "\r") {
			return // a reader of CSV drops them at the ends of lines, also within quotes
		}
		second, err := ReadRatings(write(t, "f.csv", b.String()), "")
		if err != nil {
			t.Fatalf("read again: %v\n%s", err, b.String())
		}
		if !first.Clustered {
			second.Clustered = false
			for _, c := range second.Criteria {
				for k := range c.Ratings {
					c.Ratings[k].Cluster = ""
				}
			}
		}
		if a, b := fmt.Sprintf("%+v", withoutLines(first)), fmt.Sprintf("%+v", withoutLines(second)); a != b {
			t.Errorf("%s\nread again is\n%s", a, b)
		}
	})
}
