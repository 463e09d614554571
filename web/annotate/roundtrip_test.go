package annotate

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/raters"
	"compqa/stats/agreement"
	"compqa/web/annotate/project"
)

// TestFormatsAreReadBack: exports for other tools are read back with the same items, people and values, so alpha is the same. This
// includes Label Studio's own export, in which tasks have numbers and all annotations belong to the user who imported them.
func TestFormatsAreReadBack(t *testing.T) {
	p, dir := newProject(t, 8, project.Settings{People: 3})
	rng := rand.New(rand.NewSource(1))
	for _, name := range []string{"anna", "ben", "carl"} {
		invite(t, p, name)
		a := annotatorNamed(t, p, name)
		for {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			if next == "" {
				break
			}
			as, err := p.Assignment(a.ID, next)
			if err != nil {
				t.Fatal(err)
			}
			sheet := project.Sheet{Values: map[string]string{}}
			for i, f := range p.Fields(as.About) {
				index := (int(as.Item) + i) % len(f.Options)
				if rng.Intn(3) == 0 {
					index = rng.Intn(len(f.Options))
				}
				sheet.Values[f.ID] = f.Options[index].Value
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: next}); err != nil {
				t.Fatal(err)
			}
		}
	}
	blind, err := p.ToAdjudicate(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Append(0, project.Event{Item: blind, Kind: project.Adjudicate, Nonce: "owner", Sheet: project.ScoreSheet(p.Rubric.Full())}); err != nil {
		t.Fatal(err)
	}
	report, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range append(Formats[1:], "label-studio, exported by it") {
		name, _, _ := strings.Cut(format, ",")
		path, _, _, err := ExportAs(p, name, filepath.Join(dir, name), false)
		if err != nil {
			t.Fatal(err)
		}
		if name != format {
			asLabelStudioExports(t, path)
		}
		log, err := sources.Read(path, sources.Options{People: true})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		exported := "" // prefix of the number of a criterion
		if name == "label-studio" {
			exported = "c"
		}
		decided := 0
		people := map[string]bool{}
		for _, c := range p.Rubric.Criteria {
			var list []data.Rating
			for _, s := range log.Values.All() {
				if s.ID == exported+c.ID && s.IsPerson() {
					list = append(list, s)
				}
			}
			x := raters.Table{Scale: raters.Scale{Level: agreement.Level(p.Rubric.Measurement)}}
			unit := map[string]int{}
			for _, s := range list {
				id := log.Items[s.Item].ID
				if s.Rater.Name == Judge(project.Adjudicated) {
					decided++
					continue
				}
				people[s.Rater.Name] = true
				if _, known := unit[id]; !known {
					unit[id] = len(x.Units)
					x.Units = append(x.Units, raters.Unit{ID: id})
				}
			}
			for _, s := range list {
				value, err := strconv.ParseFloat(s.Value, 64)
				if err != nil {
					t.Fatal(err)
				}
				if s.Rater.Name != Judge(project.Adjudicated) {
					x.Put(s.Rater.Name, raters.Person, unit[log.Items[s.Item].ID], value)
				}
			}
			got := x.Among(x.Raters, raters.Options{Figures: raters.Alpha}).Alpha
			want := report.Agreement[slices.IndexFunc(report.Agreement, func(a Agreement) bool { return a.Criterion == c.Name })]
			if len(x.Units) != 8 || !got.Known || math.Abs(got.Value-want.Alpha.Value) > 1e-12 {
				t.Errorf("%s, criterion %s: alpha %+v of %d units, want %v", format, c.ID, got, len(x.Units), want.Alpha.Point().Text(4))
			}
		}
		want := len(p.Rubric.Criteria) // values of the owner's one decision, a suggestion in Argilla
		if name == "argilla" {
			want = 0
		}
		if len(people) != 3 || decided != want {
			t.Errorf("%s: %d people, %d decisions", format, len(people), decided)
		}
	}
}

// asLabelStudioExports adds to tasks and annotations the numbers and the user that Label Studio adds when it exports.
func asLabelStudioExports(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tasks []map[string]any
	if err := json.Unmarshal(text, &tasks); err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		task["id"] = 900 + i
		task["inner_id"] = i + 1
		for k, a := range task["annotations"].([]any) {
			a := a.(map[string]any)
			a["id"] = fmt.Sprint(100*i + k)
			a["completed_by"] = 1
			a["was_cancelled"] = false
		}
	}
	text, err = json.Marshal(tasks)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
