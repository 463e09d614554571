package sources

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// prepare has the functions that rewrite a record, for formats whose values no path can reach.
var prepare = map[string]func(gjson.Result) (any, error){
	"argilla":  nestedArgilla,
	"sheets":   nestedSheets,
	"mt-bench": turnsOfMTBench,
	"arena":    votesOfArena,
}

// nestedSheets moves the values of an annotation sheet from the columns value_NAME into one object.
func nestedSheets(record gjson.Result) (any, error) {
	sheet := map[string]any{}
	values := map[string]any{}
	record.ForEach(func(key, value gjson.Result) bool {
		if name, is := strings.CutPrefix(key.Str, "value_"); is {
			values[name] = value.Value()
		} else {
			sheet[key.Str] = value.Value()
		}
		return true
	})
	sheet["values"] = values
	return sheet, nil
}

// nestedArgilla turns flat columns into the nested form of Argilla's records.to_json(). The flat columns are NAME.responses with
// NAME.responses.users and NAME.responses.status, and NAME.suggestion with NAME.suggestion.agent.
func nestedArgilla(record gjson.Result) (any, error) {
	fields := map[string]any{}
	responses := map[string]any{}
	suggestions := map[string]any{}
	record.ForEach(func(key, value gjson.Result) bool {
		if name, found := strings.CutSuffix(key.Str, ".responses"); found {
			var list []any
			users := record.Get(gjson.Escape(key.Str + ".users")).Array()
			status := record.Get(gjson.Escape(key.Str + ".status")).Array()
			for i, v := range value.Array() {
				one := map[string]any{"value": v.Value()}
				if i < len(users) && i < len(status) {
					one["user_id"] = users[i].Str
					one["status"] = status[i].Str
				}
				list = append(list, one)
			}
			responses[name] = list
		} else if name, found := strings.CutSuffix(key.Str, ".suggestion"); found {
			suggestions[name] = map[string]any{"value": value.Value(), "agent": record.Get(gjson.Escape(key.Str + ".agent")).Value()}
		} else if !strings.Contains(key.Str, ".") {
			fields[key.Str] = value.Value()
		}
		return true
	})
	return map[string]any{"id": fields["id"], "fields": fields, "metadata": fields, "responses": responses, "suggestions": suggestions}, nil
}

// turnsOfMTBench makes a pair from the answers to one turn. The model whose name sorts first becomes a. winner may be "tie (inconsistent)"
// or "error" in files of model judges, whose judge is a list. Experts, authors, voters of Chatbot Arena, and rows without a judge are
// people.
func turnsOfMTBench(r gjson.Result) (any, error) {
	a, b, winner := r.Get("model_a").Str, r.Get("model_b").Str, valueOf(r.Get("winner"))
	x, _, _ := turnsOf(r.Get("conversation_a"))
	y, _, _ := turnsOf(r.Get("conversation_b"))
	if a == "" || a == b || len(x) < 2 || len(y) < 2 {
		return nil, fmt.Errorf("a model or a conversation is missing")
	}
	choice, err := sideOfModels(winner, a, b)
	if err != nil {
		return nil, err
	}
	if b < a {
		a, b, x, y = b, a, y, x
		choice = choice.Swapped()
	}
	turn := max(1, r.Get("turn").Int())
	n := min(2*int(turn), len(x), len(y)) // each turn is a question and an answer
	if x[0].bySystem() {
		n = min(n+1, len(x), len(y))
	}
	shared, restA, restB, ok := splitTurns(x[:n], y[:n])
	if !ok {
		return nil, fmt.Errorf("the conversations have no common question")
	}
	judge := strings.Join(data.Each(r.Get("judge").Array(), gjson.Result.String), "-")
	if voter.MatchString(judge) || judge == "" {
		judge = "human:" + cmp.Or(judge, "voter")
	}
	question := r.Get("question_id").String()
	return map[string]any{
		"id": fmt.Sprintf("%s-%d-%s-%s", question, turn, a, b), "question": conversation(shared), "a": conversation(restA),
		"b":        conversation(restB),
		"system_a": a, "system_b": b, "domain": fmt.Sprintf("turn %d", turn), "cluster": "mt-bench-" + question, "judge": judge,
		"winner": cmp.Or(string(choice), winner),
	}, nil
}

// sideOfModels returns the choice that a winner names: by a model's name or a word of choices.yaml. It returns "" if the winner names
// neither side.
func sideOfModels(winner, a, b string) (data.Choice, error) {
	word, known := ChoiceOf(winner)
	byName := map[string]data.Choice{a: data.ChoiceA, b: data.ChoiceB}[winner]
	if byName != "" && known && byName != word.Choice {
		return "", fmt.Errorf("winner is %q, which is a model and the name of the other side; write model_a or model_b", data.Clip(winner))
	}
	return cmp.Or(byName, word.Choice), nil
}

// voter matches the names of persons in files of MT-Bench and Chatbot Arena. All other judges are models.
var voter = regexp.MustCompile(`^(expert|author|arena_user|user|voter|human|annotator|rater|worker|anon)|^[0-9a-f]{8,}$|^[0-9]+$`)

// votesOfArena makes a pair from a vote. Its prompts and replies are lists, or JSON texts of lists, with one entry for each turn.
func votesOfArena(r gjson.Result) (any, error) {
	turns := func(name string) []gjson.Result {
		value := r.Get(name)
		if list := gjson.Parse(value.Str); value.Type == gjson.String && gjson.Valid(value.Str) && list.IsArray() {
			value = list
		}
		if !value.IsArray() {
			return []gjson.Result{value}
		}
		return value.Array()
	}
	prompts := turns("prompt")
	side := func(name string) string {
		replies := turns(name)
		var parts []string
		for i, reply := range replies {
			if i > 0 && i < len(prompts) {
				parts = append(parts, "user: "+textOf(prompts[i]))
			}
			parts = append(parts, textOf(reply))
			if len(replies) > 1 {
				parts[len(parts)-1] = "assistant: " + textOf(reply)
			}
		}
		return strings.Join(parts, "\n\n")
	}
	winner := ""
	for name, choice := range map[string]string{"winner_model_a": "a", "winner_model_b": "b", "winner_tie": "tie"} {
		if value := r.Get(name).String(); value == "1" || strings.EqualFold(value, "true") || value == "1.0" {
			if winner != "" {
				return nil, fmt.Errorf("there are two winners, %s and %s", min(winner, choice), max(winner, choice))
			}
			winner = choice
		}
	}
	return map[string]any{"id": r.Get("id").Value(), "question": textOf(prompts[0]), "a": side("response_a"), "b": side("response_b"),
		"system_a": r.Get("model_a").String(), "system_b": r.Get("model_b").String(), "winner": winner}, nil
}

// prepared returns a record as the format's Prepare function rewrites it.
func (f *Format) prepared(record *scope) (*scope, error) {
	value, err := prepare[f.Prepare](record.object())
	if err != nil {
		return nil, record.Errorf("%w", err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, record.Errorf("%w", err)
	}
	return &scope{Document: record.Document, value: gjson.ParseBytes(text)}, nil
}
