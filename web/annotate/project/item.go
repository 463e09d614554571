package project

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/rubric"
)

// The roles of items, which are also the kinds of assignments.
const (
	Main       = "main"       // a study item that one person judges
	Overlap    = "overlap"    // a study item that several people judge, to measure agreement
	Gold       = "gold"       // a check: an item whose right sheet is known
	Attention  = "attention"  // a check: an item that says what to choose, or which word to write
	Practice   = "practice"   // comes first, and its known sheet is shown afterwards
	Example    = "example"    // is only shown, with its known sheet
	Repeat     = "repeat"     // of assignments only, a check: a study item that the person judges again
	Adjudicate = "adjudicate" // of assignments only: an item that the owner decides
)

// A Content is what a person sees of an item, and data that is never shown.
type Content struct {
	Question    string             `json:"question"`
	Object1     string             `json:"object1,omitempty"`
	Object2     string             `json:"object2,omitempty"`
	A           string             `json:"a,omitempty"`
	B           string             `json:"b,omitempty"` // the second answer of a pair
	Rows        []data.ContrastRow `json:"rows,omitempty"`
	Attachments []Attachment       `json:"attachments,omitempty"`
	Systems     []string           `json:"systems,omitempty"` // the authors of A and B, if known; never shown
	Label       data.Choice        `json:"label,omitempty"`   // the better answer of a pair, if known; never shown
}

// An Attachment is a judge's table or rationale, in Markdown, that a later stage shows. The judge's name is never shown.
type Attachment struct {
	Judge   string      `json:"judge"`
	Method  string      `json:"method,omitempty"`
	Text    string      `json:"text"`
	Swapped string      `json:"swapped,omitempty"` // the text for the sides in order ba
	Choice  data.Choice `json:"choice,omitempty"`  // the judge's choice
}

// An Item is what people judge: an answer, a pair, a table, or an item from a file.
type Item struct {
	ID       int64
	Kind     string
	Source   string  // id of the answer or pair in the run, or of the item in the file
	Cluster  string  // id of its question
	Content  Content `db:",json"`
	Role     string
	Shown    string // fixed order of a pair's sides, ab or ba; "": random for each person
	Expected *Sheet // known sheet of gold, attention, practice and example items, in order ab
}

const (
	Buttons = "buttons" // one of the options
	List    = "list"    // one of many options, or none
	Mark    = "mark"    // marked or not
	Text    = "text"    // words
	Number  = "number"  // any number from Low to High
	Several = "several" // further options that are right besides the choice of another field
)

// An Option is a possible value of a field. Key is the key on the keyboard that chooses it.
type Option struct {
	Value string `yaml:"value"`
	Key   string `yaml:"key"`
	Label string `yaml:"label"`
	Text  string `yaml:"text"`
}

// A Field is one question about an item. Agreement is computed for each criterion. Fields of rows or attachments share a criterion and
// differ in their part.
type Field struct {
	ID, Group, Criterion, Part string
	Type                       string
	Stage                      int              // the stage that asks it, from 1
	Name                       string           `yaml:"name"`
	Text                       string           `yaml:"text"`
	Level                      string           `yaml:"level"` // level of measurement
	Options                    []Option         `yaml:"options"`
	Words                      map[string]Words `yaml:"words"` // by language: name, text, an option …
	Low, High                  float64          // range of a number
	Levels                     []rubric.Level   // meanings of some values of a number
	Beside                     string           // for type Several: the id of the field with the first choice
}

// A Comparison says what people are asked about an item of kind Pair, besides which answer is better.
type Comparison struct {
	Dimensions bool `json:"dimensions,omitempty"` // compare the answers on each criterion, too
	Strength   bool `json:"strength,omitempty"`   // ask whether the better answer is slightly or clearly better
	NoTie      bool `json:"no_tie,omitempty"`     // do not allow a tie
	BothBad    bool `json:"both_bad,omitempty"`   // allow the choice that both answers are bad
}

// Needed reports whether a sheet is incomplete without the field, in a stage that asks it.
func (f Field) Needed() bool { return f.Type == Buttons || f.Type == Number }

// Asked reports whether the field is asked, given the values of others. The strength of a preference is asked only if an answer was
// chosen.
func (f Field) Asked(values map[string]string) bool {
	return f.ID != strengthID || values[choiceID] == First || values[choiceID] == Second
}

// Option returns the option with a value, and its index. If there is none, the index is -1 and the option's label is the value.
func (f Field) Option(value string) (o Option, index int) {
	index = slices.IndexFunc(f.Options, func(o Option) bool { return o.Value == value })
	if index < 0 {
		return Option{Label: value}, index
	}
	return f.Options[index], index
}

//go:embed scales.yaml
var scalesYAML []byte

// scales are the fields that do not come from a rubric, by name.
var scales = sync.OnceValue(func() (all map[string]Field) {
	if err := yaml.Unmarshal(scalesYAML, &all); err != nil {
		panic(err)
	}
	return all
})

// scale returns a field of scales.yaml with the texts of the study's language.
func (p *Project) scale(name, id, part string, stage int) Field {
	f := scales()[name]
	if p.Knows(name + ".name") {
		f.Name = p.Say(name + ".name")
	}
	if p.Knows(name + ".text") {
		f.Text = p.Say(name + ".text")
	}
	f.Options = slices.Clone(f.Options)
	for i := range f.Options {
		o := &f.Options[i]
		o.Label = o.Value
		if p.Knows(name + "." + o.Value) {
			o.Label = p.Say(name + "." + o.Value)
		}
		if p.Knows(name + "." + o.Value + ".text") {
			o.Text = p.Say(name + "." + o.Value + ".text")
		}
	}
	f.ID = id
	f.Criterion = name
	f.Part = part
	f.Type = Buttons
	f.Stage = stage
	return f
}

// Letter returns the letter that names attachment i: A, B, …
func Letter(i int) string { return string(rune('A' + i)) }

// stagesFields returns the first choice and, for each table, another choice, the reason for a change, and how helpful the table is.
func (p *Project) stagesFields(it Item) []Field {
	fields := []Field{p.firstChoice()}
	for i, a := range it.Content.Attachments {
		letter := Letter(i)
		again := p.scale("choice", "choice-"+letter, a.Judge, 2+i)
		again.Criterion = "choice with table"
		list := []Field{again, {ID: "why-" + letter, Type: Text, Stage: 2 + i, Name: p.Say("why_changed")},
			p.scale("helpful", "helpful-"+letter, a.Judge, 2+i)}
		fields = append(fields, grouped(list, p.Say("with_table", "letter", letter))...)
	}
	return fields
}

// rationalesFields returns the first choice and, for each rationale, how correct and how consistent it is.
func (p *Project) rationalesFields(it Item) []Field {
	fields := []Field{p.firstChoice()}
	for i, a := range it.Content.Attachments {
		letter := Letter(i)
		list := []Field{p.scale("correctness", "correctness-"+letter, a.Judge, 2), p.scale("consistency", "consistency-"+letter, a.Judge, 2)}
		fields = append(fields, grouped(list, p.Say("rationales.letter", "letter", letter))...)
	}
	return fields
}

// firstChoice returns the choice that people make before any attachment is shown.
func (p *Project) firstChoice() Field {
	choice := p.scale("choice", choiceID, "", 1)
	choice.Group = p.Say("before_others")
	return choice
}

// grouped sets the group of fields, which is shown as a heading.
func grouped(fields []Field, group string) []Field {
	for i := range fields {
		fields[i].Group = group
	}
	return fields
}

// The ids of the fields of a pair.
const (
	choiceID   = "choice"
	strengthID = "strength"
)

// CheckDimensions returns an error if two criteria have the same name, or one has the name of the overall choice. Figures could not tell
// them apart.
func CheckDimensions(r rubric.Rubric) error {
	seen := map[string]bool{choiceID: true, Strength: true}
	for _, c := range r.Criteria {
		name := cmp.Or(c.Name, c.ID)
		if seen[name] {
			return fmt.Errorf("criterion %s: the name %q is there twice, or is that of the choice as a whole; choose another one", c.ID, name)
		}
		seen[name] = true
	}
	return nil
}

// pairFields returns the choice on each criterion if the study asks it, the overall choice, and its strength if the study asks it.
func (p *Project) pairFields(Item) (fields []Field) {
	choice := p.scale("choice", choiceID, "", 1)
	if p.Pairs.NoTie {
		choice.Options = data.Where(choice.Options, func(o Option) bool { return o.Value != Tie })
	}
	if p.Pairs.Dimensions {
		for _, c := range p.Rubric.Criteria {
			f := choice
			f.ID = "dimension-" + c.ID
			f.Group = c.Group
			f.Name = cmp.Or(c.Name, c.ID)
			f.Text = c.Text
			f.Criterion = f.Name
			fields = append(fields, f)
		}
		choice.Group = p.Say("as_a_whole")
	}
	if p.Pairs.BothBad {
		choice.Options = append(slices.Clone(choice.Options), p.scale("both-bad", choiceID, "", 1).Options...)
	}
	fields = append(fields, choice)
	if p.Pairs.Strength {
		f := p.scale("strength", strengthID, "", 1)
		f.Criterion = "" // agreement uses the choice with its strength, see Form.Derived
		fields = append(fields, f)
	}
	return fields
}

// rubricFields returns a field for each criterion of the rubric.
func (p *Project) rubricFields(Item) []Field {
	r := p.Rubric
	var fields []Field
	for _, c := range r.Criteria {
		name := cmp.Or(c.Name, c.ID)
		f := Field{ID: c.ID, Group: c.Group, Criterion: name, Type: Buttons, Stage: 1, Name: name, Text: c.Text, Level: r.Measurement}
		if c.Continuous && r.Step == 0 {
			f.Type = Number
			f.Low, f.High = c.Range()
			f.Levels = data.Where(c.Levels, func(l rubric.Level) bool { return l.Text != "" && l.Text != Points(l.Points) })
			fields = append(fields, f)
			continue
		}
		for _, x := range steps(c, r.Step) {
			o := Option{Value: Points(x), Label: Points(x), Text: p.Say("between")}
			if l, is := data.First(c.Levels, func(l rubric.Level) bool { return l.Points == x }); is {
				o.Text = l.Text
			}
			if len(o.Value) == 1 {
				o.Key = o.Value
			} else if o.Value == "0.5" && c.Max() < 5 {
				o.Key = "5"
			}
			f.Options = append(f.Options, o)
		}
		fields = append(fields, f)
	}
	return fields
}

// steps returns the points that people may give on a criterion. These are all steps from the lowest to the highest level, or half points
// if step is 0. If that gives too many buttons, or levels are not on the steps, they are the levels only.
func steps(c rubric.Criterion, step float64) (points []float64) {
	const mostOptions = 11 // maximum number of buttons
	step = cmp.Or(step, 0.5)
	low, high := c.Range()
	n := (high - low) / step
	whole := n <= mostOptions-1
	for _, l := range c.Levels {
		value := (l.Points - low) / step
		whole = whole && value == math.Trunc(value)
		points = append(points, l.Points)
	}
	if whole {
		points = points[:0]
		for i := range int(n) + 1 {
			points = append(points, low+float64(i)*step)
		}
	}
	slices.Sort(points)
	return points
}

// Points formats a number of points without needless digits.
func Points(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// tableFields returns a label for each row, marks of rows with equal attributes, and marks of values of an object that contradict each
// other.
func (p *Project) tableFields(it Item) []Field {
	var fields, relevant, lists, marks []Field
	c := it.Content
	rowField := func(name, n, row string) Field { // name: of the row; group: of its scale
		f := p.scale(name, name+"-"+n, n, 1)
		f.Group = f.Name
		f.Text = ""
		f.Name = row
		return f
	}
	for i, row := range c.Rows {
		n := strconv.Itoa(i + 1)
		name := n + " " + row.Attribute
		fields = append(fields, rowField("row", n, name))
		relevant = append(relevant, rowField("relevant", n, name))
		if i > 0 {
			list := Field{ID: "same-" + n, Type: List, Stage: 1, Name: name}
			for j, other := range c.Rows[:i] {
				list.Options = append(list.Options, Option{Value: strconv.Itoa(j + 1), Label: p.Say("as_row", "n", j+1, "name", other.Attribute)})
			}
			lists = append(lists, list)
		}
		for k, values := range row.Cells() {
			for j := range values {
				if object := []string{c.Object1, c.Object2}[k]; len(values) > 1 {
					marks = append(marks, Field{ID: againstID(i, k, j), Type: Mark, Stage: 1, Name: name + ", " + object + ": " + values[j].Value})
				}
			}
		}
	}
	if p.Relevance {
		fields = append(fields, relevant...)
	}
	for _, marked := range []struct {
		name, group string
		fields      []Field
	}{{"same", p.Say("equal_attributes"), lists}, {"against", p.Say("contradicting"), marks}} {
		if len(marked.fields) > 0 {
			f := p.scale(marked.name, marked.name, "", 1)
			f.Group = marked.group
			f.Criterion = ""
			fields = append(append(fields, f), marked.fields...)
		}
	}
	return fields
}

func againstID(row, object, value int) string {
	return fmt.Sprintf("against-%d-%d-%d", row+1, object+1, value+1)
}

// Item returns the item with an id, or the zero Item.
func (p *Project) Item(id int64) (it Item) {
	if index, found := slices.BinarySearchFunc(p.Items, id, func(it Item, id int64) int { return cmp.Compare(it.ID, id) }); found {
		it = p.Items[index]
	}
	return it
}
