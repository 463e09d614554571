package bench

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/rubric"
	"compqa/web/annotate/project"
)

// studyName is the default name of the file that `annotate init --example` writes.
const studyName = "study.yaml"

//go:embed study.yaml
var exampleStudy string

// A studyPlan holds the keys of study.yaml. They are all that the owner decides about a study, except for its items and how many people
// annotate each. Paths are relative to the folder of the file.
type studyPlan struct {
	Kind       string            `yaml:"kind"`
	Title      string            `yaml:"title"`
	Contact    string            `yaml:"contact"`
	Guidelines string            `yaml:"guidelines"` // a path, as are the other keys that name files
	Consent    string            `yaml:"consent"`
	Check      string            `yaml:"check"`
	Questions  project.Questions `yaml:"questions"`
	Rubric     string            `yaml:"rubric"`
	Strength   bool              `yaml:"strength"`
	NoTie      bool              `yaml:"no-tie"`
	BothBad    bool              `yaml:"both-bad"`
	Relevance  bool              `yaml:"relevance"`
	Reason     bool              `yaml:"reason"`
	Several    []string          `yaml:"several"`
	Examples   string            `yaml:"examples"`
	Practice   string            `yaml:"practice"`
	Gold       string            `yaml:"gold"`
	GoldEach   int               `yaml:"gold-each"`
	Repeats    int               `yaml:"repeats"`
	Attention  int               `yaml:"attention"`
	Each       int               `yaml:"each"`
	Third      float64           `yaml:"third"`
	AtOnce     bool              `yaml:"at-once"`
	Mask       bool              `yaml:"mask"`
	MaskNames  []string          `yaml:"mask-names"`
	Codes      map[string]string `yaml:"codes"`
	Hold       int               `yaml:"hold"`
	Width      float64           `yaml:"width"`
	Language   string            `yaml:"language"`
	Seed       uint64            `yaml:"seed"`

	path  string         // path of the study file, "" without one
	lines map[string]int // line of each key that the file has
}

// The values of the key check. Without the key, people must answer the owner's check questions, or else questions about the scale.
const (
	checkOff = "off"
	checkOwn = "own"
)

// codeFinished is the key in codes for people who finish. The other keys are project.Outcomes.
const codeFinished = "finished"

// usualStudy returns the default values of a study of this kind.
func usualStudy(kind string) studyPlan {
	return studyPlan{Kind: kind, GoldEach: 3, Repeats: 3, Attention: 2, Third: 4, Hold: project.DefaultHold, Width: .2, Seed: 1}
}

// A studySetting describes a key of study.yaml. project.KindsWith says which kinds of studies have the key.
type studySetting struct {
	key     string
	file    bool                      // the value is the path of a file
	changes bool                      // whether annotate change may change the value
	later   bool                      // whether earlier versions lacked the key; without a value it is left out of the fixed values
	fault   func(f *studyPlan) string // says what is wrong with the value, "" if it is right
}

// studySettings describes every key of studyPlan.
var studySettings = []studySetting{
	{key: "kind", fault: func(f *studyPlan) string {
		if slices.Contains(project.Kinds, f.Kind) {
			return ""
		}
		return fmt.Sprintf("there is no kind %q%s", f.Kind, data.Suggest(f.Kind, "kinds", project.Kinds))
	}},
	{key: "title", changes: true},
	{key: "contact", changes: true},
	{key: "guidelines", file: true, changes: true},
	{key: "consent", file: true, changes: true},
	{key: "check", fault: (*studyPlan).checkFault},
	{key: "questions", changes: true, fault: func(f *studyPlan) string {
		err := f.Questions.Settle()
		if err == nil {
			return ""
		}
		return err.Error()
	}},
	{key: "rubric", changes: true}, // project.SameScale checks changes
	{key: "strength"},
	{key: "no-tie"},
	{key: "both-bad"},
	{key: "reason"},
	{key: "several", later: true}, // project.CheckSeveral checks the value
	{key: "relevance"},
	{key: "examples", file: true},
	{key: "practice", file: true},
	{key: "gold", file: true},
	{key: "gold-each", fault: func(f *studyPlan) string {
		if f.Gold == "" {
			return "gold-each is how many of the known items each person gets: gold names their file"
		}
		return atLeast(f.GoldEach, 1)
	}},
	{key: "repeats", fault: func(f *studyPlan) string { return atLeast(f.Repeats, 0) }},
	{key: "attention", fault: func(f *studyPlan) string {
		if f.Attention > project.MostAttention {
			return fmt.Sprintf("it is %d; it must be 0 to %d", f.Attention, project.MostAttention)
		}
		return atLeast(f.Attention, 0)
	}},
	{key: "each", changes: true, fault: func(f *studyPlan) string { return atLeast(f.Each, 0) }},
	{key: "third", fault: func(f *studyPlan) string { return atLeast(f.Third, 0) }},
	{key: "at-once", changes: true},
	{key: "mask"},
	{key: "mask-names", fault: func(f *studyPlan) string {
		if !f.Mask || slices.ContainsFunc(f.MaskNames, func(name string) bool { return strings.TrimSpace(name) == "" }) {
			return "it is a list of names that are masked, too, and it needs mask: true"
		}
		return ""
	}},
	{key: "codes", changes: true, fault: func(f *studyPlan) string {
		for outcome, code := range f.Codes {
			outcomes := append([]string{codeFinished}, project.Outcomes...)
			if !slices.Contains(outcomes, outcome) {
				return fmt.Sprintf("there is no outcome %q%s", outcome, data.Suggest(outcome, "outcomes", outcomes))
			}
			if strings.TrimSpace(code) == "" {
				return fmt.Sprintf("the code of %s is empty", outcome)
			}
		}
		return ""
	}},
	{key: "hold", changes: true, fault: func(f *studyPlan) string { return atLeast(f.Hold, 1) }},
	{key: "width", changes: true, fault: func(f *studyPlan) string {
		if f.Width > 0 && f.Width <= 2 {
			return ""
		}
		return fmt.Sprintf("it is %v; it must be above 0 and at most 2", f.Width)
	}},
	{key: "language"}, // settle checks the value
	{key: "seed"},
}

func atLeast[N int | float64](value, least N) string {
	if value >= least {
		return ""
	}
	return fmt.Sprintf("it is %v; it must be %v or more", value, least)
}

func (f *studyPlan) checkFault() string {
	switch has := len(f.Questions.Check) > 0; {
	case f.Check != checkOff && f.Check != checkOwn:
		return fmt.Sprintf("it is %q; it must be %s or %s, or left out: then questions on the scale are asked, unless there are "+
			"your own", f.Check, checkOff, checkOwn)
	case f.Check == checkOff && has:
		return "it is off, but questions has a check: take one of the two away"
	case f.Check == checkOwn && !has:
		return "it is own, but questions has no check: give the questions with the options that are right"
	}
	return ""
}

// load reads a study file into f, whose values stay as defaults, and checks each key in the file.
func (f *studyPlan) load(path string) (err error) {
	f.path = path
	if err := config.LoadYAML(path, f); err != nil {
		return err
	}
	f.lines, err = config.KeyLines(path)
	if err != nil {
		return err
	}
	for _, s := range studySettings {
		kinds := project.KindsWith(s.key)
		switch {
		case f.lines[s.key] == 0:
			continue
		case kinds != nil && !slices.Contains(kinds, f.Kind):
			return f.wrong(s.key, "it belongs to studies of kind "+strings.Join(kinds, ", ")+", and this one has kind "+f.Kind+": leave it out")
		case s.fault == nil:
			continue
		}
		if fault := s.fault(f); fault != "" {
			return f.wrong(s.key, fault)
		}
	}
	return nil
}

// wrong returns the usage error for a key, with its line in the file.
func (f *studyPlan) wrong(key, fault string) error {
	return config.Usagef("%s:%d: %s: %s", f.path, f.lines[key], key, fault)
}

// beside returns a path in the study file, which is relative to the file, as a path relative to the working directory. "" stays "".
func (f *studyPlan) beside(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// text returns the content of the file at path, or "" if path is "".
func (f *studyPlan) text(key, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	content, _, err := data.ReadText(f.beside(path))
	if err != nil {
		return "", f.wrong(key, err.Error())
	}
	return string(content), nil
}

// loadRubric reads the rubric that the study file names: the built-in one by its name, or a file.
func (f *studyPlan) loadRubric() (rubric.Rubric, error) {
	name := f.Rubric
	if name == rubric.Release {
		return rubric.Rubric{}, f.wrong("rubric", "it must be "+rubric.CQA().Name+" or the path of a YAML file")
	}
	if name != rubric.CQA().Name {
		name = f.beside(name)
	}
	return (&config.Config{Rubric: name}).LoadRubric()
}

// loadDimensions reads the rubric that has the criteria on which people compare pairs.
func (f *studyPlan) loadDimensions() (rubric.Rubric, error) {
	r, err := f.loadRubric()
	if err != nil {
		return r, err
	}
	if err := project.CheckDimensions(r); err != nil {
		return r, f.wrong("rubric", err.Error())
	}
	return r, nil
}

// words returns the language of the pages. If the key language names a file of the owner's texts, it also returns these texts.
func (f *studyPlan) words() (language string, words project.Words, err error) {
	if f.Language == "" || slices.Contains(project.Languages, f.Language) {
		return f.Language, nil, nil
	}
	if filepath.Ext(f.Language) == "" {
		return "", nil, f.wrong("language", fmt.Sprintf("it is %q; it must be one of %s, or the path of a file with your own texts", f.Language,
			strings.Join(project.Languages, ", ")))
	}
	if err := config.LoadYAML(f.beside(f.Language), &words); err != nil {
		return "", nil, err
	}
	if err := words.Check(); err != nil {
		return "", nil, f.wrong("language", f.Language+": "+err.Error())
	}
	return words["language"], words, nil
}

// settle copies the values of the study file to the settings of the project. It reads the files that the study file names.
func (f *studyPlan) settle(set *project.Settings) (err error) {
	set.Kind = f.Kind
	set.Title = f.Title
	set.Contact = f.Contact
	set.Relevance = f.Relevance
	set.NoCheck = f.Check == checkOff
	set.Checks = project.Checks{Repeats: f.Repeats, Attention: f.Attention}
	if f.Gold != "" {
		set.Gold = f.GoldEach
	}
	set.Each = f.Each
	set.AtOnce = f.AtOnce
	set.Mask = f.Mask
	set.Hold = f.Hold
	set.Width = f.Width
	set.Seed = f.Seed
	set.Code = f.Codes[codeFinished]
	set.Codes = map[string]string{}
	for outcome, code := range f.Codes {
		if outcome != codeFinished {
			set.Codes[outcome] = code
		}
	}
	set.Reason = f.Reason
	set.Several = f.Several
	set.Pairs = project.Comparison{Dimensions: project.FormOf(f.Kind).Sides && f.Rubric != "", Strength: f.Strength, NoTie: f.NoTie,
		BothBad: f.BothBad}
	set.Language, set.Words, err = f.words()
	if err != nil {
		return err
	}
	set.Third = 0
	if project.FormOf(f.Kind).Total != nil && set.People == 2 {
		set.Third = f.Third
	}
	set.Questions = f.Questions
	set.Guidelines, err = f.text("guidelines", f.Guidelines)
	if err == nil {
		set.Consent, err = f.text("consent", f.Consent)
	}
	if err == nil {
		set.Fixed, err = f.fixed()
	}
	return err
}

// fixed returns as JSON the values of the keys that cannot change while people work. For a file it returns the hash of the content, because
// the file may have moved.
func (f *studyPlan) fixed() (map[string]string, error) {
	values := map[string]string{}
	fields := reflect.ValueOf(*f)
	for i := range fields.NumField() {
		key := fields.Type().Field(i).Tag.Get("yaml")
		s, known := data.First(studySettings, func(s studySetting) bool { return s.key == key })
		if !known || s.changes || s.later && fields.Field(i).IsZero() {
			continue
		}
		value := fields.Field(i).Interface()
		if s.file {
			text, err := f.text(key, value.(string))
			if err != nil {
				return nil, err
			}
			value = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values[key] = string(text)
	}
	return values, nil
}

// same returns an error for the first key whose value is fixed in a running study and differs from before.
func (f *studyPlan) same(before map[string]string) error {
	now, err := f.fixed()
	if err != nil {
		return err
	}
	for _, s := range studySettings {
		if before[s.key] == now[s.key] {
			continue
		}
		what := "cannot change in a running study"
		if !s.file {
			what += ", where it is " + cmp.Or(before[s.key], "left out")
		}
		if f.lines[s.key] == 0 {
			return config.Usagef("%s: %s %s: the file has to keep it", f.path, s.key, what)
		}
		return config.Usagef("%s:%d: %s %s", f.path, f.lines[s.key], s.key, what)
	}
	return nil
}
