package project

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"compqa/data"
	"compqa/results/store"
	"compqa/stats"
)

// Texts are what people are told and asked next to the items. The owner may change them; each change is a Version.
type Texts struct {
	Guidelines string `json:"guidelines,omitempty"` // Markdown
	Consent    string `json:"consent,omitempty"`    // Markdown
	Questions
}

// Questions are the owner's questions: those of the check of the guidelines, and those that people are asked about themselves before the
// first item and after the last one.
type Questions struct {
	Check  []Question `yaml:"check" json:"check,omitempty"`
	Before []Question `yaml:"before" json:"before,omitempty"`
	After  []Question `yaml:"after" json:"after,omitempty"`
}

// A Question has one of Options as its answer, or a number, or a text.
type Question struct {
	ID       string   `yaml:"id" json:"id"`
	Text     string   `yaml:"text" json:"text"`
	Type     string   `yaml:"type" json:"type"` // choice, number or text
	Options  []string `yaml:"options" json:"options,omitempty"`
	Right    string   `yaml:"right" json:"right,omitempty"` // of the check: the option that is right
	Min      *float64 `yaml:"min" json:"min,omitempty"`     // of a number
	Max      *float64 `yaml:"max" json:"max,omitempty"`
	Optional bool     `yaml:"optional" json:"optional,omitempty"`
}

// The types of questions, and the moments at which they are asked.
const (
	ChoiceQuestion = "choice"
	NumberQuestion = "number"
	TextQuestion   = "text"

	CheckMoment  = "check"
	BeforeMoment = "before"
	AfterMoment  = "after"
)

// A Version is a state of the texts, from one change to the next.
type Version struct {
	Version int
	At      string
	What    string // was changed
	Texts   Texts  `db:",json"`
}

// TextsOf returns the texts of the version with a number; those of the last one if there is none of it.
func (p *Project) TextsOf(version int) Texts {
	if version < 1 || version > len(p.Versions) {
		return p.Texts
	}
	return p.Versions[version-1].Texts
}

// Settle fills in what a file of questions may leave out, and refuses what cannot be asked.
func (q *Questions) Settle() error {
	if len(q.Check) == 1 {
		return fmt.Errorf("check has one question; with fewer than two, people pass who always take the option at one place")
	}
	seen := map[string]bool{}
	for _, moment := range []struct {
		name string
		list []Question
	}{{CheckMoment, q.Check}, {BeforeMoment, q.Before}, {AfterMoment, q.After}} {
		for i := range moment.list {
			one := &moment.list[i]
			if one.ID == "" && moment.name == CheckMoment {
				one.ID = "check-" + strconv.Itoa(i+1)
			}
			if fault := one.settle(moment.name == CheckMoment); fault != "" {
				return fmt.Errorf("question %d of %s: %s", i+1, moment.name, fault)
			}
			if seen[one.ID] {
				return fmt.Errorf("question %d of %s: the id %q is there twice", i+1, moment.name, one.ID)
			}
			seen[one.ID] = true
		}
	}
	return nil
}

// settle says what is wrong with a question; "": nothing.
func (q *Question) settle(check bool) string {
	if q.Type == "" && len(q.Options) > 0 {
		q.Type = ChoiceQuestion
	}
	types := []string{ChoiceQuestion, NumberQuestion, TextQuestion}
	switch {
	case !validName.MatchString(q.ID):
		return fmt.Sprintf("the id is %q; it names the column of the answers, so it is needed: letters, digits, dots, hyphens and underscores",
			q.ID)
	case strings.TrimSpace(q.Text) == "":
		return "text is missing"
	case !slices.Contains(types, q.Type):
		return fmt.Sprintf("the type is %q; it must be one of %s%s", q.Type, strings.Join(types, ", "), data.Suggest(q.Type, "types", types))
	case q.Type == ChoiceQuestion && len(q.Options) < 2:
		return "a choice needs two options or more"
	case q.Type != ChoiceQuestion && len(q.Options) > 0:
		return "only a choice has options"
	case slices.Contains(q.Options, "") || len(data.Among(q.Options)) < len(q.Options):
		return "an option is empty, or there twice"
	case q.Type != NumberQuestion && (q.Min != nil || q.Max != nil):
		return "only a number has min and max"
	case q.Min != nil && q.Max != nil && *q.Min > *q.Max:
		return "min is above max"
	case check && (q.Type != ChoiceQuestion || !slices.Contains(q.Options, q.Right)):
		return fmt.Sprintf("a question of the check is a choice, and right names one of its options; it is %q", q.Right)
	case !check && q.Right != "":
		return "right belongs to questions of the check"
	case check && q.Optional:
		return "a question of the check is not optional"
	}
	return ""
}

// Of returns the questions of a moment.
func (q Questions) Of(moment string) []Question {
	return map[string][]Question{CheckMoment: q.Check, BeforeMoment: q.Before, AfterMoment: q.After}[moment]
}

// fault says why a value is not an answer to a question; "": it is one.
func (p *Project) fault(q Question, value string) string {
	number, err := strconv.ParseFloat(value, 64)
	switch {
	case value == "" && !q.Optional:
		return p.Say("fault_needed")
	case value == "":
		return ""
	case utf8.RuneCountInString(value) > mostText:
		return p.Say("fault_long")
	case q.Type == ChoiceQuestion && !slices.Contains(q.Options, value):
		return p.Say("fault_choose")
	case q.Type == NumberQuestion && (err != nil || !stats.IsFinite(number)):
		return p.Say("fault_number")
	case q.Type == NumberQuestion && q.Min != nil && number < *q.Min:
		return p.Say("fault_least", "n", Points(*q.Min))
	case q.Type == NumberQuestion && q.Max != nil && number > *q.Max:
		return p.Say("fault_most", "n", Points(*q.Max))
	}
	return ""
}

// A Reply is an answer to a question of the owner, or to one of the check.
type Reply struct {
	Annotator int64
	Moment    string
	Question  string
	Value     string // "": the question was left open
	Correct   bool   // of the check
	Version   int
	At        string
}

// Replies lists all answers to questions, in the order in which they came.
func (p *Project) Replies() ([]Reply, error) {
	return store.Select[Reply](p.s, `SELECT `+store.Columns[Reply]()+` FROM replies ORDER BY id`)
}

// Open returns the questions of a moment, before or after, that a person has not answered yet.
func (p *Project) Open(a Annotator, moment string) ([]Question, error) {
	asked := p.Of(moment)
	if len(asked) == 0 {
		return nil, nil
	}
	answered, err := store.Select[string](p.s, `SELECT question FROM replies WHERE annotator = ? AND moment = ?`, a.ID, moment)
	return data.Where(asked, func(q Question) bool { return !slices.Contains(answered, q.ID) }), err
}

// Reply records answers to the open questions of a moment, by their ids. If one is not an answer, nothing is recorded, and faults say why.
func (p *Project) Reply(a Annotator, moment string, given func(id string) string) (faults map[string]string, err error) {
	open, err := p.Open(a, moment)
	if err != nil {
		return nil, err
	}
	faults = map[string]string{}
	var replies []Reply
	for _, q := range open {
		value := strings.TrimSpace(given(q.ID))
		if q.Type == NumberQuestion {
			value = decimal(value)
		}
		if fault := p.fault(q, value); fault != "" {
			faults[q.ID] = fault
		}
		replies = append(replies, Reply{Annotator: a.ID, Moment: moment, Question: q.ID, Value: value})
	}
	if len(faults) > 0 {
		return faults, nil
	}
	return nil, p.write(func(tx *sql.Tx) error { return p.insertReplies(tx, replies) })
}

func (p *Project) insertReplies(tx *sql.Tx, replies []Reply) error {
	for _, r := range replies {
		// Two tabs may send the same answers; the first ones stay.
		_, err := tx.Exec(`INSERT INTO replies (annotator, moment, question, value, correct, version, at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
			WHERE ?2 = 'check' OR NOT EXISTS (SELECT 1 FROM replies WHERE annotator = ?1 AND moment = ?2 AND question = ?3)`,
			r.Annotator, r.Moment, r.Question, r.Value, r.Correct, len(p.Versions), utc(p.Now()))
		if err != nil {
			return err
		}
	}
	return nil
}

// Comprehension records the result of the check of the guidelines, and what was answered.
func (p *Project) Comprehension(annotator int64, passed bool, replies ...Reply) error {
	return p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE annotators SET passed = passed OR ?, tries = tries + (NOT ?), read_version = ? WHERE id = ? AND tries < ?`,
			passed, passed, len(p.Versions), annotator, MostTries)
		if err != nil {
			return err
		}
		return p.insertReplies(tx, replies)
	})
}

// Checked compares the answers to the check, by the ids of its questions, and records them.
func (p *Project) Checked(a Annotator, given func(id string) string) error {
	passed := true
	var replies []Reply
	for _, q := range p.CheckQuestions() {
		r := Reply{Annotator: a.ID, Moment: CheckMoment, Question: q.ID, Value: data.Clip(given(q.ID)), Correct: given(q.ID) == q.Right}
		passed = passed && r.Correct
		replies = append(replies, r)
	}
	return p.Comprehension(a.ID, passed, replies...)
}

// WrongAnswers returns the ids of the questions of the check that a person answered wrongly in the last attempt.
func (p *Project) WrongAnswers(a Annotator) ([]string, error) {
	return store.Select[string](p.s, `SELECT question FROM (SELECT * FROM replies WHERE annotator = ? AND moment = 'check'
		ORDER BY id DESC LIMIT ?) WHERE NOT correct ORDER BY id`, a.ID, len(p.CheckQuestions()))
}

// AskedScales returns the fields of which the built-in check asks what their options mean.
func (p *Project) AskedScales() []Field {
	asked := map[string]bool{}
	for _, q := range p.CheckQuestions() {
		asked[q.ID] = true
	}
	return data.Where(p.Fields(p.Item(1)), func(f Field) bool { return len(p.Check) == 0 && asked["scale-"+f.ID] })
}

// Read records that a person has seen the guidelines of the last version.
func (p *Project) Read(a Annotator) error {
	return p.exec(`UPDATE annotators SET read_version = ? WHERE id = ?`, len(p.Versions), a.ID)
}

// CheckQuestions returns those of the owner, or else questions on what the scales of the first item mean.
func (p *Project) CheckQuestions() []Question {
	const most = 3
	if p.NoCheck {
		return nil
	}
	if len(p.Check) > 0 {
		return p.Check
	}
	list := []Question{{ID: "source", Text: p.Say("ask_source"),
		Options: []string{p.Say("ask_reputation"), p.Say("ask_text")}, Right: p.Say("ask_text")}}
	asked := map[string]bool{}
	for _, f := range p.Fields(p.Item(1)) {
		if f.Type == Several || len(f.Options) < 2 || f.Options[len(f.Options)-1].Text == "" || asked[f.Criterion] || len(list) == most {
			continue
		}
		asked[f.Criterion] = true
		last := f.Options[len(f.Options)-1]
		name := f.Name
		if f.Criterion == "row" {
			name = f.Group
		}
		q := Question{ID: "scale-" + f.ID, Text: p.Say("ask_scale", "name", name, "level", last.Text), Right: Half(last.Label)}
		for _, o := range f.Options {
			if o.Text != p.Say("between") {
				q.Options = append(q.Options, Half(o.Label))
			}
		}
		list = append(list, q)
	}
	if len(list) < 2 { // nothing of the scale can be asked
		list = append(list, Question{ID: "when", Text: p.Say("ask_when"), Right: p.Say("ask_read"),
			Options: []string{p.Say("ask_impression"), p.Say("ask_read"), p.Say("ask_minute")}})
	}
	return list
}

// Half writes half points as people do.
func Half(label string) string {
	if label == "0.5" {
		return "½"
	}
	return strings.Replace(label, ".5", "½", 1)
}

// Shuffled returns the questions of the check with their options in another order for each person and try. No place is the right one in all
// questions, counted from the first option or from the last one: who always takes the option at one place does not pass.
func (p *Project) Shuffled(a Annotator) []Question {
	list := slices.Clone(p.CheckQuestions())
	rng := stats.NewRNG(p.Seed, "check", uint64(a.Seed), uint64(a.Tries))
	for {
		first := map[int]bool{}
		last := map[int]bool{} // places of the right options
		for i, q := range list {
			options := slices.Clone(q.Options)
			rng.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
			list[i].Options = options
			right := slices.Index(options, q.Right)
			first[right] = true
			last[len(options)-1-right] = true
		}
		if len(first) > 1 && len(last) > 1 || len(list) < 2 {
			return list
		}
	}
}
