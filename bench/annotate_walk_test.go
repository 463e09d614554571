package bench

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// A studyEffect says how a test can see the effect of a setting.
type studyEffect struct {
	lines []string // lines of the study file: the setting with an unusual value, and the settings that it needs
	seen  func(s *studyWalk) bool
}

// studyEffects has an effect for each key of study.yaml. Most effects are seen on the pages on which a person works. Where a setting only
// changes numbers that other packages decide on, the test looks at the project's settings.
var studyEffects = map[string]studyEffect{
	"kind":       {nil, func(s *studyWalk) bool { return s.p.Items[0].Kind == s.kind }},
	"title":      {[]string{"title: Unusual"}, func(s *studyWalk) bool { return strings.Contains(s.invitation, "Unusual") }},
	"contact":    {[]string{"contact: ada@example.org"}, func(s *studyWalk) bool { return strings.Contains(s.failed, "ada@example.org") }},
	"guidelines": {[]string{"guidelines: text.md"}, func(s *studyWalk) bool { return strings.Contains(s.first, "An unusual text") }},
	"consent": {[]string{"consent: text.md"}, func(s *studyWalk) bool {
		return strings.Contains(s.first, "An unusual text") && strings.Contains(s.first, "/consent")
	}},
	"check": {[]string{"check: off"}, func(s *studyWalk) bool { return !strings.Contains(s.first, `type="radio"`) }},
	"questions": {[]string{"questions: {before: [{id: age, text: An unusual question, type: number}]}"},
		func(s *studyWalk) bool { return strings.Contains(s.first, "An unusual question") }},
	"rubric":    {[]string{"rubric: rubric.yaml"}, otherSheet},
	"several":   {nil, otherSheet}, // the line of the setting depends on the kind
	"strength":  {[]string{"strength: true"}, otherSheet},
	"no-tie":    {[]string{"no-tie: true"}, otherSheet},
	"both-bad":  {[]string{"both-bad: true"}, otherSheet},
	"relevance": {[]string{"relevance: true"}, otherSheet},
	"reason":    {[]string{"reason: true"}, func(s *studyWalk) bool { return strings.Contains(s.refused, "reason") }},
	"examples":  {[]string{"examples: known1.jsonl"}, func(s *studyWalk) bool { return strings.Contains(s.item, "/examples") }},
	"practice":  {[]string{"practice: known1.jsonl"}, func(s *studyWalk) bool { return s.given[0] == project.Practice }},
	"gold":      {[]string{"gold: known2.jsonl"}, func(s *studyWalk) bool { return count(s.given, project.Gold) == 2 }},
	"gold-each": {[]string{"gold: known2.jsonl", "gold-each: 1"}, func(s *studyWalk) bool { return count(s.given, project.Gold) == 1 }},
	"repeats":   {[]string{"repeats: 1"}, func(s *studyWalk) bool { return count(s.given, project.Repeat) == 1 }},
	"attention": {[]string{"attention: 1"}, func(s *studyWalk) bool { return count(s.given, project.Attention) == 1 }},
	"each":      {[]string{"each: 2"}, func(s *studyWalk) bool { return len(s.given) == 2 }},
	"third":     {[]string{"third: 0.5"}, func(s *studyWalk) bool { return s.p.Third == .5 }},
	"at-once":   {[]string{"at-once: true"}, func(s *studyWalk) bool { return strings.Contains(s.item, `data-at-once="`) }},
	"mask": {[]string{"mask: true"}, func(s *studyWalk) bool {
		return strings.Contains(s.texts, "[model]") && !strings.Contains(s.texts, "ChatGPT")
	}},
	"mask-names": {[]string{"mask: true", "mask-names: [Nimbus]"}, func(s *studyWalk) bool { return !strings.Contains(s.texts, "Nimbus") }},
	"codes": {[]string{"codes: {finished: DONE17, failed: FC17}"}, func(s *studyWalk) bool {
		return strings.Contains(s.last, "DONE17") && strings.Contains(s.failed, "FC17")
	}},
	"hold":     {[]string{"hold: 5"}, func(s *studyWalk) bool { return s.p.Hold == 5 }},
	"width":    {[]string{"width: 0.7"}, func(s *studyWalk) bool { return s.p.Width == .7 }},
	"language": {[]string{"language: de"}, func(s *studyWalk) bool { return strings.Contains(s.first, `lang="de"`) }},
	"seed":     {[]string{"seed: 99"}, func(s *studyWalk) bool { return s.p.Seed == 99 }},
}

func otherSheet(s *studyWalk) bool { return !reflect.DeepEqual(s.sheet, s.usual) }

func count(list []string, kind string) int {
	return len(data.Where(list, func(given string) bool { return given == kind }))
}

// A studyWalk is what two people see in a study: one person does all items, the other fails the check questions.
type studyWalk struct {
	t                                                     *testing.T
	kind                                                  string
	p                                                     *project.Project
	sheet, usual                                          []project.Field // fields of the first item; usual has them without the setting
	invitation, first, item, last, failed, texts, refused string
	given                                                 []string // kinds of the items in the order in which they were given
}

// TestSettingsOfStudies: each key of study.yaml has its effect in studies of each kind that may have it. In other kinds it is refused with
// its line.
func TestSettingsOfStudies(t *testing.T) {
	t.Parallel()
	keys := data.Each(studySettings, func(s studySetting) string { return s.key })
	fields := reflect.TypeFor[studyPlan]()
	for i := range fields.NumField() {
		if key := fields.Field(i).Tag.Get("yaml"); key != "" && !slices.Contains(keys, key) {
			t.Errorf("studySettings does not have %s", key)
		}
	}
	for _, kind := range project.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir, flags, rubric := studiedItems(t, kind)
			usual := walkStudy(t, dir, kind, flags, rubric, nil)
			knownOf(t, dir, usual)
			for _, s := range studySettings {
				effect, tested := studyEffects[s.key]
				if !tested {
					t.Errorf("no test sees what %s does", s.key)
					continue
				}
				if kinds := project.KindsWith(s.key); kinds != nil && !slices.Contains(kinds, kind) {
					path := studyIn(t, dir, append([]string{"kind: " + kind}, effect.lines...))
					text := ending(t)(2, append([]string{"annotate", "init", dir, "--study", path}, flags...)...)
					if want := fmt.Sprintf("%s:2: %s: it belongs to studies of kind %s", path, s.key, strings.Join(kinds, ", ")); !strings.Contains(text, want) {
						t.Errorf("%s, want %s", text, want)
					}
					continue
				}
				lines := effect.lines
				if s.key == "several" {
					lines = []string{"several: [" + firstChoice(t, usual.sheet) + "]"}
				}
				walk := walkStudy(t, dir, kind, flags, rubric, lines)
				walk.usual = usual.sheet
				if !effect.seen(walk) {
					t.Errorf("%s is accepted, and nothing follows: %v, items %v, refused: %s", s.key, lines, walk.given, walk.refused)
				}
			}
		})
	}
}

// firstChoice returns the criterion of the first field of a sheet with options to choose from.
func firstChoice(t *testing.T, sheet []project.Field) string {
	t.Helper()
	choice, found := data.First(sheet, func(f project.Field) bool { return f.Type == project.Buttons && f.Criterion != "" })
	if !found {
		t.Fatal("the sheet has no choice")
	}
	return choice.Criterion
}

// studyIn writes the study file into a folder, beside the files that it names.
func studyIn(t *testing.T, dir string, lines []string) string {
	t.Helper()
	path := filepath.Join(dir, studyName)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// studiedItems makes a run, or a file, with six items of a kind. rubric is the line of the study file that the kind needs.
func studiedItems(t *testing.T, kind string) (dir string, flags []string, rubric string) {
	t.Helper()
	const name = "I am ChatGPT by Nimbus."
	pairs := ""
	items := "id,text\n"
	questions := ""
	for i := range 6 {
		right := fmt.Sprintf("It is %d, that is RIGHT. %s", 2*i, name)
		wrong := fmt.Sprintf("It is %d, which is WRONG. %s", 2*i+1, name)
		pairs += fmt.Sprintf(`{"id": "p%d", "question": "What is %[1]d and %[1]d?", "a": %q, "b": %q, "label": "a", "system_a": "g", "system_b": "h"}`+"\n",
			i, right, wrong)
		items += fmt.Sprintf("i%d,%q\n", i, right)
		questions += fmt.Sprintf(`{"object1": "trams%d", "object2": "buses%[1]d", "aspect": "comfort", "arguments": ["trams%[1]d by Nimbus and ChatGPT have `+
			`quiet motors", "buses%[1]d by Nimbus and ChatGPT have loud motors", "trams%[1]d are cheap", "buses%[1]d are expensive"]}`+"\n", i)
	}
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	dir = pairwiseFiles(t, server.URL, pairs, `pairwise:
  - {name: sc2, method: sc2, provider: scripted, model: m, draws: 1, aspect_draws: 1, samples: 0}
  - {name: con-j, method: con-j, provider: scripted, model: m, samples: 0}
`)
	const criteria = "step: 1\ncriteria:\n"
	for file, text := range map[string]string{"items.csv": items, "questions.jsonl": questions, "text.md": "An unusual text",
		"tables.yaml": "dataset: questions.jsonl\nscenarios: [4]\nmodels: [{name: strum, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n",
		"usual.yaml":  criteria + "  - {name: quality, text: Is it good?, levels: [{points: 0, text: bad}, {points: 4, text: good}]}\n",
		"rubric.yaml": criteria + "  - {name: unusual, text: Is it unusual?, levels: [{points: 0, text: usual}, {points: 4, text: unusual}]}\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compqa := ending(t)
	switch kind {
	case project.Answer:
		return dir, []string{"--items", filepath.Join(dir, "items.csv")}, "rubric: usual.yaml"
	case project.Pair:
		return dir, []string{"--pairs", filepath.Join(dir, "pairs.jsonl")}, ""
	case project.Table:
		compqa(0, "run", "--config", filepath.Join(dir, "tables.yaml"), "--out", filepath.Join(dir, "run"))
	default:
		compqa(0, pairwiseRunArgs(dir)...)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries { // study files are beside it
		if err := os.Rename(filepath.Join(dir, "run", entry.Name()), filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir, nil, ""
}

// walkStudy makes a study in place of the previous one, and lets two people work on it.
func walkStudy(t *testing.T, dir, kind string, flags []string, rubric string, lines []string) *studyWalk {
	t.Helper()
	for _, name := range []string{"", "-wal", "-shm"} {
		os.Remove(filepath.Join(dir, project.FileName+name))
	}
	all := append([]string{"kind: " + kind}, lines...)
	for _, usual := range []string{rubric, "repeats: 0", "attention: 0"} {
		key, _, _ := strings.Cut(usual, ":")
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, key+":") }) {
			all = append(all, usual)
		}
	}
	ending(t)(0, append([]string{"annotate", "init", dir, "--people", "2", "--study", studyIn(t, dir, all)}, flags...)...)
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s := &studyWalk{t: t, kind: kind, p: p, sheet: p.Fields(p.Items[0])}
	for _, it := range p.Items {
		for _, text := range judgedTexts(&it.Content) {
			s.texts += *text + "\n"
		}
	}
	handler := pages.New(p, log.New(io.Discard, "", 0)).Handler()
	get := func(session, path string) string {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "localhost"
		r.Header.Set("Cookie", "compqa_annotator="+session)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Body.String()
	}
	stranger, session, token := s.person("ben")
	s.invitation = get(session, "/a/"+token)
	for range project.MostTries {
		if err := p.Comprehension(stranger.ID, false); err != nil {
			t.Fatal(err)
		}
	}
	s.failed = get(session, "/work")
	anna, session, _ := s.person("anna")
	s.first = get(session, "/work")
	if err := p.Comprehension(anna.ID, true); err != nil {
		t.Fatal(err)
	}
	if err := p.Agree(anna); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Reply(anna, project.BeforeMoment, func(string) string { return "30" }); err != nil {
		t.Fatal(err)
	}
	s.work(anna, func(blind string) string { return get(session, "/item/"+blind) })
	s.last = get(session, "/work")
	return s
}

func (s *studyWalk) person(name string) (a project.Annotator, session, token string) {
	s.t.Helper()
	token, err := s.p.Invite(name)
	if err != nil {
		s.t.Fatal(err)
	}
	session, err = s.p.Start(token)
	if err != nil {
		s.t.Fatal(err)
	}
	a, err = s.p.Session(session)
	if err != nil {
		s.t.Fatal(err)
	}
	return a, session, token
}

// work does all items of a person. It first submits each stage without a reason.
func (s *studyWalk) work(a project.Annotator, page func(blind string) string) {
	s.t.Helper()
	for n := 0; ; n++ {
		next, err := s.p.Next(a)
		if err != nil {
			s.t.Fatal(err)
		}
		if next == "" {
			return
		}
		as, err := s.p.Assignment(a.ID, next)
		if err != nil {
			s.t.Fatal(err)
		}
		last, err := s.p.Last(next)
		if err != nil {
			s.t.Fatal(err)
		}
		if last.Sheet.Stage == 0 {
			s.given = append(s.given, as.Kind)
		}
		if s.item == "" {
			s.item = page(next)
		}
		sheet := project.Sheet{Values: map[string]string{}}
		for _, f := range s.p.Fields(as.About) {
			switch {
			case f.Stage > last.Sheet.Stage+1:
			case f.ID == "same", f.ID == "against":
				sheet.Values[f.ID] = "none"
			case f.Needed():
				sheet.Values[f.ID] = f.Options[0].Value
			}
		}
		for _, reason := range []string{"", "river lemon"} { // words that attention items ask for
			sheet.Reason = reason
			_, err = s.p.Append(a.ID, project.Event{Item: next, Revision: last.Revision, Kind: project.Submit, Sheet: sheet,
				Nonce: fmt.Sprintf("%s-%d-%d", next, n, len(reason))})
			if err == nil {
				break
			}
			s.refused = err.Error()
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// knownOf writes two files of known sheets from a study's export: known1.jsonl with one item, and known2.jsonl with two.
func knownOf(t *testing.T, dir string, s *studyWalk) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "sheets")
	ending(t)(0, "annotate", "export", dir, "--out", out)
	text, err := os.ReadFile(filepath.Join(out, project.FormOf(s.kind).File))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for n := range 2 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("known%d.jsonl", n+1)), []byte(strings.Join(lines[:n+1], "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
