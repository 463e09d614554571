package validation

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
)

// smallInput returns an input with all parts: two judges, two people, an older log, shortened texts, pairs, inclusion probabilities and
// looks.
func smallInput() *Input {
	log := func(person bool, by ...string) *sources.Log {
		log := &sources.Log{Path: "log", Values: data.Judgements{Families: map[string]string{by[0]: "f"}}}
		for i := range 8 {
			log.Items = append(log.Items, sources.Item{ID: fmt.Sprint("i", i), Question: fmt.Sprint("q", i/2), Text: fmt.Sprint("text ", i)}.With(
				sources.About{System: []string{"s", "t"}[i%2], Columns: []string{"c"}, Inclusion: 0.5,
					Short: &sources.Shortened{Text: "\xff\x00digest", Words: 3}}))
			for k, name := range by {
				series := data.Series{Rater: &data.Rater{Name: name, Kind: data.KindJudge}, Measured: &data.Measured{ID: "score"}}
				log.Values.Add(data.Rating{Series: series, Item: int32(i), Value: fmt.Sprint(1 + (i+k)%3), Reason: "so"})
			}
		}
		log.Items = append(log.Items, sources.Item{ID: "p"}.With(sources.About{Pair: &data.Pair{Question: "q", A: "a", B: "b"}}))
		return log
	}
	same := true
	looks := &Looks{Last: 1, Lines: []Looked{{Look: 1, Judge: "j", Criterion: "score", Item: "x", Question: "y", Same: &same, High: 3}}}
	return NewInput(log(false, "j", "k"), log(true, "anna", "ben"), log(false, "j"),
		Options{Columns: []string{"c"}, Inclusion: map[string]float64{"i1": 0.25}, Looks: looks, Budget: 2, Seed: 1})
}

// written writes an input to a file and reads it back.
func written(t *testing.T, text []byte) (*Input, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), InputName)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadInput(path)
}

// TestEarlierInput: what an input of an earlier version says about a run is read, and none of its keys is unknown.
func TestEarlierInput(t *testing.T) {
	honest, err := smallInput().JSON()
	if err != nil {
		t.Fatal(err)
	}
	in, err := written(t, bytes.Replace(honest, []byte(`"options":{`), []byte(`"options":{"MeanBy":"human","OfRun":{"Seed":7,"Level":0.95},`), 1))
	if err != nil || len(in.Unknown) > 0 || in.Options.Seed != 7 || !in.Judged.Run {
		t.Errorf("%v: unknown %v, seed %d, of a run %v", err, in.Unknown, in.Options.Seed, in.Judged.Run)
	}
}

// tablesOf returns all tables of a result as text.
func tablesOf(t *testing.T, r *Result) string {
	t.Helper()
	var text bytes.Buffer
	files := r.Catalogue().Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == nil {
			continue
		}
		if err := files[name](&text); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// TestInputs: an input that is written and read back has the same bytes and gives the same tables.
func TestInputs(t *testing.T) {
	in := smallInput()
	text, err := in.JSON()
	if err != nil {
		t.Fatal(err)
	}
	result, err := in.Result()
	if err != nil {
		t.Fatal(err)
	}
	again, err := written(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := again.JSON(); err != nil || string(twice) != string(text) {
		t.Errorf("%s, %v; want %s", twice, err, text)
	}
	other, err := again.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tablesOf(t, other), tablesOf(t, result); got != want || len(result.Drift) == 0 || len(result.AnyTime) == 0 {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if bytes.Contains(text, []byte(`"log"`)) {
		t.Error("the input has the path of a log")
	}
}

// TestLargeInputs: inputs that are too large for an export are refused.
func TestLargeInputs(t *testing.T) {
	in := smallInput()
	in.Judged.Values = valuesOf(slices.Repeat(listed(in.Judged)[:1], mostInput+1))
	if NewInput(in.Judged, in.People, nil, Options{}) != nil {
		t.Error("too many values are packed")
	}
	in = smallInput()
	in.Judged.Items[0].Text = strings.Repeat("a", mostInputBytes/2)
	reasoned := in.Judged.Values.At(data.RowPlace{})
	reasoned.Reason = strings.Repeat("b", mostInputBytes/2)
	in.Judged.Values.Set(data.RowPlace{}, reasoned)
	if NewInput(in.Judged, in.People, nil, Options{}) != nil {
		t.Error("texts that are too long are kept")
	}
	reasoned.Reason = ""
	in.Judged.Items[1].Text = in.Judged.Items[0].Text
	in.Judged.Values.Set(data.RowPlace{}, reasoned)
	if NewInput(in.Judged, in.People, nil, Options{}) == nil {
		t.Error("a text of two items counts twice")
	}
	in = smallInput()
	in.Judged.Items[0].Text = strings.Repeat("a", mostInputBytes)
	if text, err := in.JSON(); err != nil || text != nil {
		t.Errorf("%d bytes are packed, %v", len(text), err)
	}
}

// FuzzInput reads any text as the input of a validation, and computes its result. No error may have an empty text.
func FuzzInput(f *testing.F) {
	honest, err := smallInput().JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(honest))
	for _, text := range []string{"", "{}", "null", "[]", `{"judged":{}}`, `{"judged":{"texts":[],"items":[{}],"series":[],"scores":[]}}`,
		`{"judged":{"texts":[""],"items":[{}],"series":[{}],"scores":[{},{"value":"1e308"},{"value":"1"}]},"people":{},"options":{"Looks":{}}}`,
		`{"judged":{"texts":null,"items":{}}}`, strings.Repeat("[", 20_000)} {
		f.Add(text)
	}
	for _, edit := range [][2]string{{`"item":1`, `"item":-1`}, {`"value":"2"`, `"value":"1e308"`}, {`"value":"3"`, `"value":"-1e308"`},
		{`"inclusion":0.5`, `"inclusion":1e-300`}, {`"Budget":2`, `"Budget":9223372036854775807`}, {`"High":3`, `"High":1e308`},
		{`"high":3`, `"high":1e308`}, {`"Epsilon":0`, `"Epsilon":0.999999`}, {`"words":3`, `"words":-9223372036854775808`},
		{`"Scales":null`, `"Scales":{"":"0..1e308"}`}, {`"Thresholds":null`, `"Thresholds":{"":1e308}`},
		{`"look":1`, `"look":9223372036854775807`}} {
		f.Add(strings.ReplaceAll(string(honest), edit[0], edit[1]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := written(t, []byte(text))
		if err == nil {
			var r *Result
			r, err = in.Result()
			if err == nil {
				r.Record()
			}
		}
		if err != nil && err.Error() == "" {
			t.Error("an error without a text")
		}
	})
}

// TestInputKeepsWhatWasAssumed: figures that are recomputed from a file depend on the same assumed columns, and say so.
func TestInputKeepsWhatWasAssumed(t *testing.T) {
	in := smallInput()
	in.People.Readings = []*sources.Reading{{Columns: []sources.ColumnRead{
		{Column: "anna", Role: sources.RoleValue, Criterion: "score", Rater: "anna", Values: []string{"1"}, Assumed: true},
		{Column: "id", Role: sources.RoleItem, Why: "its name"}}}}
	text, err := in.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := written(t, text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := again.Result()
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Assumed) != 1 || result.basis() != "if column anna as value of score by anna is read rightly: " {
		t.Errorf("assumed: %+v, %q", result.Assumed, result.basis())
	}
	text = bytes.ReplaceAll(text, []byte(`"Assumed":true`), []byte(`"Assumed":false`))
	if again, err = written(t, text); err != nil {
		t.Fatal(err)
	}
	if result, err = again.Result(); err != nil || result.basis() != "" {
		t.Errorf("%v, %q", err, result.basis())
	}
}
