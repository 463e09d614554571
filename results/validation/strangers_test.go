package validation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
)

// studied returns what a study of two files says: the join and each pairing with its n, or the error with the flags that would help.
func studied(t *testing.T, log, people string, o Options) string {
	t.Helper()
	r, err := computed(t, log, people, o)
	if needed, ok := errors.AsType[*Needed](err); ok {
		return "needs " + strings.Join(needed.Flags, " ")
	}
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s %d/%d several %d:", r.Join.Method, r.Join.Joined, r.Join.Items, r.Join.Several)
	for _, p := range r.Pairings {
		text += fmt.Sprintf(" %s %s n=%d", p.Judge, p.Criterion, p.row(Mean).N)
	}
	return text + strings.Join(r.Notes, ";")
}

// study returns the result of two files.
func study(t *testing.T, log, people string) *Result {
	t.Helper()
	r, err := computed(t, log, people, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// computed returns the result of two files. The first line of each text is the file's name.
func computed(t *testing.T, log, people string, o Options) (*Result, error) {
	t.Helper()
	dir := t.TempDir()
	write := func(text string) string {
		name, content, _ := strings.Cut(text, "\n")
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	logs, err := sources.Read(write(log), sources.Options{})
	if err != nil {
		return nil, err
	}
	scores, err := sources.Read(write(people), sources.Options{People: true, Names: []string{"ok", "score"}})
	if err != nil {
		return nil, err
	}
	s, err := studyOf(logs, scores, o)
	if err != nil {
		return nil, err
	}
	return s.Compute(nil, nil)
}

// TestStrangers: files of tools in other forms than those from which the formats were written can be read.
func TestStrangers(t *testing.T) {
	people := "people.csv\nid,ok\na,yes\nb,no\n"
	for name, c := range map[string]struct {
		log, people, want string
		o                 Options
	}{
		"a scorer that returns a list": {`log.json
{"eval": {"task": "t"}, "samples": [{"id": "a", "epoch": 1, "scores": {"s": {"value": [1, 0]}}}, {"id": "b", "epoch": 1, "scores": {"s": {"value": [0, 0]}}}]}`,
			people, "id 2/2 several 0: inspect_ai s.1 n=2", Options{Pairs: map[string]string{"s.1": "ok"}}},
		"two assertions with one metric": {`log.json
{"results": {"results": [{"vars": {"q": "A"}, "success": true, "prompt": {}, "response": {"output": "x"}, "promptIdx": 0, "gradingResult": {"componentResults": [
{"pass": true, "score": 1, "assertion": {"type": "llm-rubric", "metric": "ok"}}, {"pass": false, "score": 0, "assertion": {"type": "llm-rubric", "metric": "ok"}}]}}]}}`,
			"people.csv\nanswer,ok\nx,yes\n", "text 1/1 several 0: promptfoo ok.pass n=1", Options{}},
		"a filter of lm-eval": {"log.jsonl\n" + `{"doc_id": 0, "doc": {}, "resps": [["x"]], "filter": "none", "metrics": ["ok"], "ok": 1.0}`,
			"people.csv\nanswer,ok\nx,yes\n", "text 1/1 several 0: lm_eval ok[none] n=1", Options{}},
		"ids of pandas": {"log.jsonl\n{\"id\": 1, \"ok\": true}\n{\"id\": 2, \"ok\": false}", "people.csv\nid,ok\n1.0,yes\n2.0,no\n",
			"id 2/2 several 0: log ok n=2", Options{}},
		"two judges are not two records of one": {"log.jsonl\n{\"id\": \"a\", \"judge\": \"x\", \"ok\": 1}\n{\"id\": \"a\", \"judge\": \"y\", \"ok\": 0}", people,
			"id 1/2 several 0: x ok n=1 y ok n=1", Options{}},
		"pairs by text": {`log.json
[{"instruction": "Q", "output_1": "x", "output_2": "y", "generator_1": "r", "generator_2": "m", "annotator": "w", "preference": 1.9}]`,
			"people.csv\ninstruction,output_1,output_2,annotator,preference\nQ,y,x,ann,A\n", "id 1/1 several 0: w preference n=1", Options{}},
		"other names": {"log.jsonl\n{\"id\": \"a\", \"fluency\": 0.5, \"relevancy\": 0.1}\n{\"id\": \"b\", \"fluency\": 0.2, \"relevancy\": 0.3}",
			"people.csv\nid,relevance,style\na,0.3,x\nb,0.4,y\n", "needs --pair relevancy=relevance", Options{}},
		"no common id": {"log.jsonl\n" + `{"id": 1, "key": "a", "ok": 1}` + "\n" + `{"id": 2, "key": "b", "ok": 1}` + "\n" + `{"id": 3, "key": "c", "ok": 0}` + "\n" +
			`{"id": 4, "key": "d", "ok": 0}` + "\n" + `{"id": 5, "key": "e", "ok": 0}`,
			"people.csv\nid,ok\na,1\nb,1\nc,1\nd,0\ne,0\n", "needs --map item=key,people.item=id", Options{}},
		"ids of another kind, with other texts": {"log.jsonl\n" + `{"id": 1, "answer": "one", "ok": 1}` + "\n" + `{"id": 2, "answer": "two", "ok": 0}` + "\n" +
			`{"id": 3, "answer": "three", "ok": 1}`, "people.csv\nid,answer,ok\n2,one,1\n3,two,1\n4,three,1\n",
			"text 3/3 several 0: log ok n=32 items with ids of the log have another text there", Options{}},
		"pass of a scorer with several values": {`log.json
{"eval": {"task": "t"}, "samples": [{"id": "a", "epoch": 1, "scores": {"s": {"value": {"ok": 1, "pass": 0}}}}, {"id": "b", "epoch": 1, "scores": {"s": {"value": {"ok": 0, "pass": 1}}}}]}`,
			"people.csv\nid,ok,pass\na,yes,no\nb,no,no\n", "id 2/2 several 0: inspect_ai s.ok n=2 inspect_ai s.pass n=2", Options{}},
		"a judge's verdicts in a column of that name": {"log.csv\nid,judge,note\na,1,x\nb,0,y\nc,1,z\n", "people.csv\nid,annotator,judge\na,1,1\na,2,0\nb,1,0\nc,1,1\n",
			"id 3/3 several 0: log judge n=3", Options{}},
		"a column a person": {"log.csv\nid,ok\na,1\nb,0\nc,1\n", "people.csv\nid,Rater 1,Rater 2\na,1,1\nb,0,0\nc,1,NA\n",
			"id 3/3 several 0: log ok n=3", Options{}},
		"no judge": {"log.jsonl\n{\"id\": \"a\", \"judge\": \"x\", \"criterion\": \"ok\", \"text\": \"t\"}", people, "needs --judge", Options{}},
	} {
		if got := studied(t, c.log, c.people, c.o); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// TestIDsOfSeveralSystems: if items of several systems have the same id, id and system together identify a unit, even if a table writes the
// id as 4.0. Items without an id are in no unit.
func TestIDsOfSeveralSystems(t *testing.T) {
	judge := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "ok"}}
	person := data.Series{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: &data.Measured{ID: "ok"}}
	log := func(by data.Series, items ...sources.Item) *sources.Log {
		l := &sources.Log{Items: items}
		for i := range items {
			l.Values.Add(data.Rating{Series: by, Item: int32(i), Value: "1"})
		}
		return l
	}
	of := func(system, id, text string) sources.Item {
		return sources.Item{ID: id, Text: text}.With(sources.About{System: system})
	}
	judged := log(judge, of("x", "4", "one"), of("y", "4", "two"), of("x", "", "three"), of("y", "", "four"))
	people := log(person, of("y", "4.0", "two"), of("", "", "three"))
	s, err := studyOf(judged, people, Options{Join: ByID})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Units) != 2 || s.Units[0].Labelled || !s.Units[1].Labelled || s.Units[1].System != "y" {
		t.Errorf("%+v", s.Units)
	}
}
