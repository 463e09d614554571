package annotate

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/rubric"
)

// A labelTask is a task of Label Studio's JSON export.
type labelTask struct {
	ID          json.Number                `json:"id"`
	Data        map[string]json.RawMessage `json:"data"`
	Annotations []struct {
		CompletedBy  json.RawMessage `json:"completed_by"` // an id, or an object with an id
		WasCancelled bool            `json:"was_cancelled"`
		Result       []struct {
			FromName string `json:"from_name"`
			Type     string `json:"type"`
			Value    struct {
				Rating   *float64 `json:"rating"`
				Number   *float64 `json:"number"`
				Choices  []string `json:"choices"`
				Selected string   `json:"selected"` // of type pairwise
				Text     []string `json:"text"`
			} `json:"value"`
		} `json:"result"`
	} `json:"annotations"`
}

// A LabelStudio is what an export contains.
type LabelStudio struct {
	Verdicts    []verdict
	Preferences []preference
}

// ReadLabelStudio reads Label Studio's JSON export. idField is the field of a task's data
// with the id of the answer, or of the pair. A result named after a criterion ("1" or "c1"),
// of type rating, number or choices, holds its points; one of type pairwise is a preference,
// with the pair's a on the left. Annotator 7 becomes human:7. The last annotation of a person
// counts. A cancelled one is skipped; an incomplete sheet keeps its status. Any other result
// is an error, except texts, which are the reason.
func ReadLabelStudio(r io.Reader, idField string, of rubric.Rubric) (*LabelStudio, error) {
	var tasks []labelTask
	if err := json.NewDecoder(r).Decode(&tasks); err != nil {
		return nil, fmt.Errorf("no JSON export of Label Studio (a list of tasks): %w", err)
	}
	out := &LabelStudio{}
	for _, t := range tasks {
		var id string
		if raw := t.Data[idField]; json.Unmarshal(raw, &id) != nil || id == "" {
			if id = strings.TrimSpace(string(raw)); id == "" || id == "null" || id[0] == '"' || id[0] == '{' {
				return nil, fmt.Errorf("task %s: data.%s is missing; --id names the field with the id of the answer or pair", t.ID, idField)
			}
		}
		for _, a := range t.Annotations {
			judge, err := completedBy(a.CompletedBy)
			if err != nil {
				return nil, fmt.Errorf("task %s: %w", t.ID, err)
			}
			v, p, reason := verdict{ID: id, Judge: judge, Scores: data.Scores{}}, preference{ID: id, Judge: judge, Order: data.OrderAB, Status: string(data.Valid)}, ""
			for _, x := range a.Result {
				criterion := strings.TrimPrefix(x.FromName, "c")
				switch {
				case x.Type == "pairwise":
					if p.Choice = map[string]string{"left": "a", "right": "b"}[x.Value.Selected]; p.Choice == "" {
						return nil, fmt.Errorf("task %s: selected is %q; it must be left or right", t.ID, data.Clip(x.Value.Selected))
					}
				case x.Type == "textarea":
					reason = strings.Join(x.Value.Text, " ")
				case !slices.Contains(of.IDs(), criterion):
					return nil, fmt.Errorf("task %s: the result %q is not a criterion of rubric %s", t.ID, data.Clip(x.FromName), of.Name)
				case x.Value.Rating != nil:
					v.Scores[criterion] = *x.Value.Rating
				case x.Value.Number != nil:
					v.Scores[criterion] = *x.Value.Number
				case len(x.Value.Choices) == 1:
					points, err := strconv.ParseFloat(strings.TrimSpace(x.Value.Choices[0]), 64)
					if err != nil {
						return nil, fmt.Errorf("task %s: the choice %q of %s is not a number of points", t.ID, data.Clip(x.Value.Choices[0]), data.Clip(x.FromName))
					}
					v.Scores[criterion] = points
				default:
					return nil, fmt.Errorf("task %s: the result %q has no rating, number or single choice", t.ID, data.Clip(x.FromName))
				}
			}
			if p.Choice != "" && !a.WasCancelled {
				p.Rationale = reason
				out.Preferences = append(slices.DeleteFunc(out.Preferences, func(o preference) bool { return o.ID == id && o.Judge == judge }), p)
				continue
			}
			v.Status, v.Reason = data.Valid, reason
			if a.WasCancelled {
				v.Status, v.Scores, v.Reason = data.Skipped, nil, "cancelled in Label Studio"
			} else if fault := of.Check(v.Scores, false); fault != nil {
				v.Status, v.Reason = data.Status(fault.Kind), fault.Error()
			} else {
				total := of.Total(v.Scores)
				v.Total = &total
			}
			out.Verdicts = append(slices.DeleteFunc(out.Verdicts, func(o verdict) bool { return o.ID == id && o.Judge == judge }), v)
		}
	}
	return out, nil
}

func completedBy(raw json.RawMessage) (string, error) {
	var person struct {
		ID int64 `json:"id"`
	}
	if json.Unmarshal(raw, &person.ID) == nil || json.Unmarshal(raw, &person) == nil && person.ID != 0 {
		return Judge(strconv.FormatInt(person.ID, 10)), nil
	}
	return "", fmt.Errorf("completed_by is %s; it must be a number, or an object with an id", data.Clip(string(raw)))
}
