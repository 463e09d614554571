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

// Texts are what people read and are asked besides the items. The owner may change them; each change makes a Version.
type Texts struct {
	Guidelines string `json:"guidelines,omitempty"` // Markdown
	Consent    string `json:"consent,omitempty"`    // Markdown
	Questions
}

// Questions are the owner's questions: the check of the guidelines, and questions to people before the first item and after the last one.
type Questions struct {
	Check  []Question `yaml:"check" json:"check,omitempty"`
	Before []Question `yaml:"before" json:"before,omitempty"`
	After  []Question `yaml:"after" json:"after,omitempty"`
}

// A Question is answered with one of Options, a number or a text.
type Question struct {
	ID       string   `yaml:"id" json:"id"`
	Text     string   `yaml:"text" json:"text"`
	Type     string   `yaml:"type" json:"type"` // choice, number or text
	Options  []string `yaml:"options" json:"options,omitempty"`
	Right    string   `yaml:"right" json:"right,omitempty"` // for the check, the right option
	Min      *float64 `yaml:"min" json:"min,omitempty"`     // lowest value of a number
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

// A Version is the state of the texts from one change to the next.
type Version struct {
	Version int
	At      string
	What    string // what was changed
	Texts   Texts  `db:",json"`
}

// TextsOf returns the texts of a version by its number, or those of the last version without such a number.
func (p *Project) TextsOf(version int) Texts {
	if version < 1 || version > len(p.Versions) {
		return p.Texts
	}
	return p.Versions[version-1].Texts
}

// Settle fills in defaults in questions read from a file, and returns an error for a question that cannot be asked.
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

// settle fills in defaults and says what is wrong with a question, or returns "".
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

// Of returns the questions of a moment (BeforeMoment, AfterMoment or CheckMoment).
func (q Questions) Of(moment string) []Question {
	return map[string][]Question{CheckMoment: q.Check, BeforeMoment: q.Before, AfterMoment: q.After}[moment]
}

// fault says why a value is not an answer to a question, or returns "".
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

// A Reply is a person's answer to one of the owner's questions, or to one of the check.
type Reply struct {
	Annotator int64
	Moment    string
	Question  string
	Value     string // "": not answered
	Correct   bool   // for the check
	Version   int
	At        string
}

// Replies returns all answers to questions, in the order in which they were given.
func (p *Project) Replies() ([]Reply, error) {
	return store.Select[Reply](p.s, `SELECT `+store.Columns[Reply]()+` FROM replies ORDER BY id`)
}

// Open returns the questions of a moment (BeforeMoment or AfterMoment) that a person has not answered yet.
func (p *Project) Open(a Annotator, moment string) ([]Question, error) {
	asked := p.Of(moment)
	if len(asked) == 0 {
		return nil, nil
	}
	answered, err := store.Select[string](p.s, `SELECT question FROM replies WHERE annotator = ? AND moment = ?`, a.ID, moment)
	return data.Where(asked, func(q Question) bool { return !slices.Contains(answered, q.ID) }), err
}

// Reply records a person's answers to the open questions of a moment. given returns the answer by the question's id. If an answer is
// wrong, nothing is recorded, and faults says why, by the question's id.
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

// insertReplies records replies. A person's second reply to a question is ignored, except to one of the check.
func (p *Project) insertReplies(tx *sql.Tx, replies []Reply) error {
	for _, r := range replies {
		// If two tabs send answers, the first ones stay.
		_, err := tx.Exec(`INSERT INTO replies (annotator, moment, question, value, correct, version, at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
			WHERE ?2 = 'check' OR NOT EXISTS (SELECT 1 FROM replies WHERE annotator = ?1 AND moment = ?2 AND question = ?3)`,
			r.Annotator, r.Moment, r.Question, r.Value, r.Correct, len(p.Versions), utc(p.Now()))
		if err != nil {
			return err
		}
	}
	return nil
}

// Comprehension records the result of an attempt at the check of the guidelines, with its answers.
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

// Checked compares the answers of the check with the right ones, and records the result. given returns the answer by the question's id.
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

// WrongAnswers returns the ids of the check's questions that a person answered wrongly in the last attempt.
func (p *Project) WrongAnswers(a Annotator) ([]string, error) {
	return store.Select[string](p.s, `SELECT question FROM (SELECT * FROM replies WHERE annotator = ? AND moment = 'check'
		ORDER BY id DESC LIMIT ?) WHERE NOT correct ORDER BY id`, a.ID, len(p.CheckQuestions()))
}

// AskedScales returns the fields whose scales the built-in check asks about.
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

// CheckQuestions returns the questions of the check. There are none if the study has no check. The owner's questions are used if there are
// any, else up to three: on what to judge by, and on the meaning of the first item's scales.
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
	if len(list) < 2 { // the scale gives no question
		list = append(list, Question{ID: "when", Text: p.Say("ask_when"), Right: p.Say("ask_read"),
			Options: []string{p.Say("ask_impression"), p.Say("ask_read"), p.Say("ask_minute")}})
	}
	return list
}

// Half writes half points with the sign ½: 2.5 becomes 2½.
func Half(label string) string {
	if label == "0.5" {
		return "½"
	}
	return strings.Replace(label, ".5", "½", 1)
}

// Shuffled returns the check's questions with their options in random order, new for each person and attempt. The right options are never
// all at the same place, counted from the first or from the last option, so always choosing one place does not pass.
func (p *Project) Shuffled(a Annotator) []Question {
	list := slices.Clone(p.CheckQuestions())
	rng := stats.NewRNG(p.Seed, "check", uint64(a.Seed), uint64(a.Tries))
	for {
		first := map[int]bool{}
		last := map[int]bool{} // first, last: places of the right options, from either end
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
