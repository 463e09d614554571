package surface

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/text"
)

// An input is one number that the judge "surface" reads off an answer: a sum of fields of a
// surfaceView, some of them subtracted, perhaps as a share of another sum.
type input struct {
	Name  string `csv:"name"`
	About string `csv:"about"`
	Sum   terms  `csv:"sum"`
	Per   terms  `csv:"per"`
}

// terms are fields of a surfaceView, with their signs.
type terms []struct {
	field []int // index, as in package reflect
	sign  float64
}

//go:embed inputs.csv
var inputsFile string

// inputs are those of the file, and then the points of the judge "rules".
var inputs = sync.OnceValue(func() []input {
	list := data.Must(data.ReadCSV[input]("inputs.csv", inputsFile))
	for _, r := range rules.Rules {
		list = append(list, input{Name: "rule on " + r.Name, About: "points by the judge rules"})
	}
	return list
})

// UnmarshalCSV reads "Words -IntroductionWords".
func (t *terms) UnmarshalCSV(text string) error {
	for name := range strings.FieldsSeq(text) {
		rest, minus := strings.CutPrefix(name, "-")
		field, known := reflect.TypeFor[surfaceView]().FieldByName(rest)
		if !known {
			return fmt.Errorf("there is no field %s", rest)
		}
		*t = append(*t, struct {
			field []int
			sign  float64
		}{field.Index, float64(1 - 2*rules.Point(minus))})
	}
	return nil
}

// InputsExplained are the inputs' names, each with what it is.
func InputsExplained() [][2]string {
	return data.Each(inputs(), func(in input) [2]string { return [2]string{in.Name, in.About} })
}

// InputNames name the inputs.
func InputNames() []string { return data.Each(inputs(), func(in input) string { return in.Name }) }

// A surfaceView has the measurements of an answer, and what is derived from them.
type surfaceView struct {
	text.Features
	Favoured, Other int  // units of the body that speak for the object with more of them, and for the other
	Lead            int  // units for the object chosen less those for the other
	Decided, Open   bool // for one object, for neither
	ShortChoice     bool
	NeverMentioned  bool    // the aspect asked about
	Mentions        float64 // how present that aspect is, in [0, 3]
	Besides         int     // named aspects other than that one
}

func viewSurface(f text.Features) (v surfaceView) {
	v = surfaceView{Features: f, Favoured: max(f.FavourFirst, f.FavourSecond), Other: min(f.FavourFirst, f.FavourSecond), Mentions: 2}
	switch f.Choice {
	case text.ChoseFirst:
		v.Lead = f.FavourFirst - f.FavourSecond
	case text.ChoseSecond:
		v.Lead = f.FavourSecond - f.FavourFirst
	case text.Undecided:
		v.Lead = v.Other - v.Favoured
	case text.NoChoice:
		v.Lead = -9 // below any that occurs
	}
	v.Decided, v.Open = f.Choice == text.ChoseFirst || f.Choice == text.ChoseSecond, f.Choice == text.Undecided
	v.ShortChoice = f.ChoiceLine && v.Decided && f.ChoiceWords <= rules.BriefChoice
	if f.AspectAsked {
		v.NeverMentioned = f.AspectStatements == 0 && !f.AspectNamed
		v.Mentions = float64(rules.Point(f.AspectInIntroduction)+rules.Point(f.AspectNamed)) + text.Share(f.AspectStatements, f.Statements)
		v.Besides = f.Aspects - rules.Point(f.AspectNamed)
	}
	return v
}

// Inputs are what the judge "surface" knows of an answer, in the order of InputNames. Which of the
// objects is called the first makes no difference. A question's arguments are no part of it: which
// ones a system was given is not known of most answers.
func Inputs(q data.Question, content string) []float64 {
	q.Arguments = nil
	v := viewSurface(text.Measure(q, content))
	view := reflect.ValueOf(v)
	x := make([]float64, len(inputs()))
	measured := len(inputs()) - len(rules.Rules)
	for i, in := range inputs()[:measured] {
		x[i] = in.Sum.of(view)
		if whole := in.Per.of(view); in.Per != nil && whole > 0 {
			x[i] /= whole
		} else if in.Per != nil {
			x[i] = 0
		}
	}
	for i, rule := range rules.Rules {
		points, _ := rule.Score(&v.Features)
		x[measured+i] = float64(points)
	}
	return x
}

func (t terms) of(view reflect.Value) (sum float64) {
	for _, t := range t {
		switch f := view.FieldByIndex(t.field); f.Kind() {
		case reflect.Bool:
			sum += float64(rules.Point(f.Bool()))
		case reflect.Float64:
			sum += f.Float()
		default:
			sum += t.sign * float64(f.Int())
		}
	}
	return sum
}
