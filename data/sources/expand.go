package sources

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// expand has the functions of formats in which one comparison is spread over several records, or one record holds several. Each function
// gets all records of a file and returns one record for each comparison.
var expand = map[string]func([]gjson.Result) ([]any, error){
	"oasst":           repliesOfOASST,
	"argilla-ranking": rankingsOfArgilla,
}

// expanded reads the records that the format's Expand function makes from the records of a file.
func (r *reader) expanded(path string) error {
	var records []gjson.Result
	var last *data.Document
	for record, err := range r.Format.records(path, func(text string) { r.log.Notes = append(r.log.Notes, text) }) {
		if err != nil {
			return err
		}
		records = append(records, record.object())
		last = record.Document
	}
	made, err := expand[r.Expand](records)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, value := range made {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if err := r.read(&scope{Document: last, value: gjson.ParseBytes(text)}); err != nil {
			return err
		}
	}
	return nil
}

// An oasstMessage is a message of OpenAssistant. In its tree files, replies are nested in the message.
type oasstMessage struct {
	id, parent string
	turn       turn
	rank       string
}

// repliesOfOASST returns a record for each message with at least two ranked replies of the assistant. Its question is all turns up to the
// message.
func repliesOfOASST(records []gjson.Result) ([]any, error) {
	byID := map[string]oasstMessage{}
	children := map[string][]string{}
	var order []string
	var add func(v gjson.Result, parent string)
	add = func(v gjson.Result, parent string) {
		m := oasstMessage{id: v.Get("message_id").String(), parent: cmp.Or(parent, v.Get("parent_id").String()),
			turn: turn{v.Get("role").Str, v.Get("text").Str}, rank: v.Get("rank").String()}
		if _, known := byID[m.id]; !known && m.id != "" {
			byID[m.id] = m
			order = append(order, m.id)
			children[m.parent] = append(children[m.parent], m.id)
		}
		for _, reply := range v.Get("replies").Array() {
			add(reply, m.id)
		}
	}
	for _, record := range records {
		if prompt := record.Get("prompt"); prompt.IsObject() {
			add(prompt, "")
		} else {
			add(record, "")
		}
	}
	var made []any
	for _, id := range order {
		var answers []any
		for _, child := range children[id] {
			if m := byID[child]; !m.turn.byUser() && m.rank != "" {
				answers = append(answers, map[string]any{"text": m.turn.text, "rank": m.rank})
			}
		}
		if len(answers) < 2 {
			continue
		}
		var turns []any
		for message, depth := id, 0; message != "" && depth < 1000; message, depth = byID[message].parent, depth+1 {
			m, known := byID[message]
			if !known {
				return nil, fmt.Errorf("the message %s, which %s answers, is not in the file", message, id)
			}
			turns = append(turns, map[string]any{"role": m.turn.role, "content": m.turn.text})
		}
		slices.Reverse(turns)
		made = append(made, map[string]any{"id": id, "question": turns, "answers": answers})
	}
	if made == nil {
		return nil, fmt.Errorf("no message has two replies with a rank")
	}
	return made, nil
}

// rankingsOfArgilla returns a record for every two answers and each person who ranked both.
func rankingsOfArgilla(records []gjson.Result) (made []any, err error) {
	for n, record := range records {
		fields := record.Get("fields")
		base := map[string]any{"question": firstText(fields, "instruction", "prompt", "question", "input", "query"),
			"context": firstText(fields, "context"),
			"system":  firstText(fields, "system", "system_prompt")}
		id := cmp.Or(record.Get("id").String(), fmt.Sprint(n+1))
		for person, ranks := range rankingsBy(record) {
			names := sortedKeys(ranks)
			for i, first := range names {
				for _, second := range names[i+1:] {
					a := fieldNamed(fields, first)
					b := fieldNamed(fields, second)
					if a == "" || b == "" {
						return nil, fmt.Errorf("record %s ranks %s and %s, and has no fields with these names", id, first, second)
					}
					one := map[string]any{"id": id + ":" + first + "-" + second, "a": a, "b": b, "person": person,
						"winner": winnerByRank(ranks[first], ranks[second])}
					for key, value := range base {
						one[key] = value
					}
					made = append(made, one)
				}
			}
		}
	}
	slices.SortStableFunc(made, func(x, y any) int {
		return cmp.Compare(fmt.Sprint(x.(map[string]any)["person"]), fmt.Sprint(y.(map[string]any)["person"]))
	})
	return made, nil
}

// rankingsBy returns the ranks that people gave: by person, then by the name of the ranked answer. People with fewer than two ranks are
// left out.
func rankingsBy(record gjson.Result) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	add := func(person string, list gjson.Result) {
		ranks := map[string]float64{}
		for _, v := range list.Array() {
			if v.Get("rank").Exists() {
				ranks[v.Get("value").String()] = v.Get("rank").Float()
			}
		}
		if len(ranks) > 1 {
			all[person] = ranks
		}
	}
	record.Get("responses").ForEach(func(key, response gjson.Result) bool {
		if values := response.Get("values"); values.Exists() { // version 1: a list of values for each person
			if response.Get("status").Str != "discarded" {
				values.ForEach(func(_, v gjson.Result) bool {
					add(cmp.Or(response.Get("user_id").String(), key.String()), v.Get("value"))
					return true
				})
			}
			return true
		}
		for i, v := range response.Array() { // version 2: a list of people for each question
			if status := v.Get("status").Str; status != "discarded" && status != "draft" {
				add(cmp.Or(v.Get("user_id").String(), fmt.Sprint(i+1)), v.Get("value"))
			}
		}
		return true
	})
	return all
}

func sortedKeys(m map[string]float64) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// winnerByRank returns a, b or tie: the lower rank wins.
func winnerByRank(first, second float64) string {
	switch {
	case first < second:
		return "a"
	case first > second:
		return "b"
	}
	return "tie"
}

// firstText returns the first text that is not empty among the named members of an object, or "".
func firstText(object gjson.Result, names ...string) string {
	for _, name := range names {
		if text := contentText(object.Get(gjson.Escape(name))); text != "" {
			return text
		}
	}
	return ""
}

// fieldNamed returns the text of the field whose folded name equals a name, as response-1 and response_1 do.
func fieldNamed(fields gjson.Result, name string) (text string) {
	fields.ForEach(func(key, value gjson.Result) bool {
		if folded(key.Str) == folded(name) {
			text = strings.TrimSpace(contentText(value))
		}
		return text == ""
	})
	return text
}
