package annotate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/rubric"
)

// Scores are what people gave in another tool.
type Scores struct {
	Verdicts    []verdict
	Preferences []preference
	Other       []string // names of results that are no criteria of the rubric
}

// ReadScores reads people's scores from an export of another tool, mainly Label Studio (see package
// sources for the formats). id is the path of the answer's or pair's id; "": as the format says.
// A result named after a criterion ("1", "c1" or its name) holds its points, or begins with them, or
// is the text of a level; one with the value left or right is a choice, with the pair's a on the left.
// Other results are counted in Other. Person 7 becomes human:7. The last value of a person counts; an
// incomplete sheet keeps its status. Cancelled annotations are left out.
func ReadScores(path, id string, of rubric.Rubric) (*Scores, error) {
	o := sources.Options{People: true}
	if id != "" {
		o.Map = map[string]string{"item": id}
	}
	log, err := sources.Read(path, o)
	if err != nil {
		return nil, err
	}
	out, other := &Scores{}, map[string]bool{}
	type key struct{ judge, id string }
	at := map[key]int{}
	for _, s := range log.Scores {
		item := log.Items[s.Item]
		judge := Judge(strings.TrimPrefix(s.By, "user"))
		if choice := sideChoice(s.Value); choice != "" {
			p := preference{ID: item.ID, Judge: judge, Order: data.OrderAB, Status: data.Valid, Choice: string(choice)}
			same := func(o preference) bool { return o.ID == p.ID && o.Judge == judge }
			out.Preferences = append(slices.DeleteFunc(out.Preferences, same), p)
			continue
		}
		c, known := criterion(of, s.Criterion)
		if !known {
			other[s.Criterion] = true
			continue
		}
		points, err := pointsOf(c, s.Value)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s of %s: %w", path, item.Line, s.Criterion, item.ID, err)
		}
		k := key{judge, item.ID}
		i, known := at[k]
		if !known {
			i = len(out.Verdicts)
			at[k] = i
			out.Verdicts = append(out.Verdicts, verdict{ID: item.ID, Judge: judge, Scores: data.Scores{}})
		}
		out.Verdicts[i].Scores[c.ID] = points
	}
	for i := range out.Verdicts {
		v := &out.Verdicts[i]
		if fault := of.Check(v.Scores, false); fault != nil {
			v.Status, v.Reason = data.Status(fault.Kind), fault.Error()
			continue
		}
		total := of.Total(v.Scores)
		v.Status, v.Total = data.Valid, &total
	}
	if out.Other = slices.Sorted(maps.Keys(other)); len(out.Verdicts)+len(out.Preferences) == 0 {
		return nil, fmt.Errorf("%s: no result is named after a criterion of rubric %s (%s), and none chooses left or right; the results are %s",
			path, of.Name,
			strings.Join(of.IDs(), ", "), strings.Join(out.Other, ", "))
	}
	return out, nil
}

// sideChoice is the choice of a side; "" for other values.
func sideChoice(value string) data.Choice {
	return map[string]data.Choice{"left": data.ChoiceA, "right": data.ChoiceB}[value]
}

func criterion(of rubric.Rubric, name string) (rubric.Criterion, bool) {
	for _, c := range of.Criteria {
		if name == c.ID || name == "c"+c.ID || c.Name != "" && strings.EqualFold(name, c.Name) {
			return c, true
		}
	}
	return rubric.Criterion{}, false
}

// pointsOf reads "1", "1 some" or the text of a level.
func pointsOf(c rubric.Criterion, value string) (float64, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	if points, err := strconv.ParseFloat(first, 64); err == nil {
		return points, nil
	}
	for _, l := range c.Levels {
		if strings.EqualFold(strings.TrimSpace(value), l.Text) {
			return l.Points, nil
		}
	}
	return 0, fmt.Errorf("%q is neither points nor the text of a level", data.Clip(value))
}
