package sources

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

var update = flag.Bool("update", false, "write what is read of the fixtures")

// TestFormats checks each format with a fixture in testdata/formats. The fixture must be recognised by its content, and NAME.want has what
// is read from it.
func TestFormats(t *testing.T) {
	elsewhere := map[string]bool{"reward-bench": true, "con-j": true, "hh-rlhf": true, "judgebench": true, "mt-bench": true, "tldr": true,
		"pandalm": true, "auto-j": true, "trec-news": true, "llmbar": true, // TestReadPairSets and others
		ownAnswers: true, ownPreferences: true} // TestOwnFilesReadBack
	for _, l := range pairLayouts(t) { // TestPublishedLayouts
		elsewhere[l.Name] = true
	}
	for _, f := range Formats() {
		files, err := filepath.Glob(filepath.Join("testdata", "formats", f.Name+".[cj]s*"))
		if elsewhere[f.Name] {
			continue
		}
		if err != nil || len(files) != 1 {
			t.Errorf("%s has %d fixtures", f.Name, len(files))
			continue
		}
		got := ""
		if f.Source != "" {
			got = readSet(files[0])
		} else {
			got = readLog(files[0], false) + readLog(files[0], true)
		}
		want := strings.TrimSuffix(files[0], filepath.Ext(files[0])) + ".want"
		if *update {
			os.WriteFile(want, []byte(got), 0o644)
		}
		if text, err := os.ReadFile(want); err != nil || string(text) != got {
			t.Errorf("%s: %v\n%s\nwant\n%s", f.Name, err, got, text)
		}
	}
}

func readSet(file string) string {
	set, err := ReadPairs(file, "", Options{})
	if err != nil {
		return err.Error() + "\n"
	}
	text := set.Name + "\n"
	for _, p := range set.Pairs {
		text += fmt.Sprintf("%s %q %q %q %s %s %q %q\n", p.ID, p.Question, p.A, p.B, p.Label, p.Domain, p.SystemA, p.SystemB)
	}
	for _, g := range set.Given {
		text += fmt.Sprintf("%s %s %s %s %q\n", g.ID, g.Judge, g.Status, g.Choice, g.Reason)
	}
	return text
}

func readLog(file string, people bool) string {
	log, err := Read(file, Options{People: people})
	if err != nil {
		return err.Error() + "\n"
	}
	text := ""
	if !people {
		text = log.Format + "\n"
		for _, i := range log.Items {
			about := i.About()
			text += fmt.Sprintf("item %q %d %q %q %q %q line %d\n", i.ID+about.Turn, about.Repeat, about.System, i.Question, i.Text, about.Runs, i.Line)
		}
		for _, note := range log.Notes {
			text += "note " + note + "\n"
		}
	}
	var ratings []data.Rating
	for _, s := range log.Values.All() {
		ratings = append(ratings, s)
	}
	slices.SortStableFunc(ratings, func(a, b data.Rating) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Item, b.Item)) })
	for _, s := range ratings {
		text += fmt.Sprintf("%d %s %v %s %q %q failed=%v extra=%v\n", s.Item, s.Rater.Name, s.IsPerson(), s.ID, s.Value, s.Reason, s.Failed, s.Extra)
	}
	return text
}
