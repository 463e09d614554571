package sources

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"compqa/data"
)

// ReadPandaLM reads PandaLM's human-annotated pairs (Wang et al. 2024) from a folder:
// testset-v1.json, with three annotators, who become human:1 to human:3, and the files
// NAME-testset-v1.json of judges, who saw each pair in one order. A result that is no choice
// is unparsed. A response that is JSON true or false is that word. All pairs of an instruction
// and input are a cluster.
func ReadPandaLM(folder string) (data.PreferenceSet, error) {
	const file = "testset-v1.json"
	set := data.PreferenceSet{Name: "pandalm", Source: "PandaLM"}
	var rows []struct {
		Idx                                int
		Motivation                         string `json:"motivation_app"`
		Systems                            string `json:"cmp_key"`
		Instruction, Input                 string
		Response1, Response2               json.RawMessage
		Annotator1, Annotator2, Annotator3 *int
	}
	path := filepath.Join(folder, file)
	lines, err := readList(path, &rows)
	if err != nil {
		return set, err
	}
	known := map[int]bool{}
	for i, r := range rows {
		at := func(format string, args ...any) error {
			return &data.LineError{Path: path, Line: lines[i], Err: fmt.Errorf(format, args...)}
		}
		if known[r.Idx] {
			return set, at("idx %d occurs twice", r.Idx)
		}
		known[r.Idx] = true
		p := data.Pair{ID: fmt.Sprint("pandalm-", r.Idx), Question: strings.TrimSpace(r.Instruction + "\n\n" + r.Input), Label: data.NoChoice, Domain: r.Motivation}
		p.Cluster = data.QuestionCluster(p.Question)
		if a, b, found := strings.Cut(r.Systems, "_"); found && a != b {
			p.SystemA, p.SystemB = a, b
		}
		if p.A, err = wordOrText(r.Response1); err == nil {
			p.B, err = wordOrText(r.Response2)
		}
		if err != nil {
			return set, at("a response is %w", err)
		}
		for k, label := range []*int{r.Annotator1, r.Annotator2, r.Annotator3} {
			choice, known := pandaChoices[fmt.Sprint(deref(label))]
			if label == nil || !known {
				return set, at("annotator%d is %v; it must be 0 (tie), 1 or 2", k+1, deref(label))
			}
			set.Given = append(set.Given, data.Preference{ID: p.ID, Judge: fmt.Sprint("human:", k+1), Method: "annotation", Order: data.OrderAB, Status: data.Valid, Choice: string(choice)})
		}
		set.Pairs = append(set.Pairs, p)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*-"+file))
	if err != nil {
		return set, err
	}
	for _, path := range files {
		given, err := pandaJudge(path, strings.TrimSuffix(filepath.Base(path), "-"+file), known)
		if err != nil {
			return set, err
		}
		set.Given = append(set.Given, given...)
	}
	return set, nil
}

var pandaChoices = map[string]data.Choice{"0": data.ChoiceTie, "1": data.ChoiceA, "2": data.ChoiceB, "tie": data.ChoiceTie}

// pandaJudge reads a judge's results: the fields PREFIX_result and PREFIX_reason.
func pandaJudge(path, judge string, known map[int]bool) ([]data.Preference, error) {
	var rows []map[string]json.RawMessage
	lines, err := readList(path, &rows)
	if err != nil {
		return nil, err
	}
	var given []data.Preference
	for i, r := range rows {
		at := func(format string, args ...any) error {
			return &data.LineError{Path: path, Line: lines[i], Err: fmt.Errorf(format, args...)}
		}
		var idx int
		if err := json.Unmarshal(r["idx"], &idx); err != nil || !known[idx] {
			return nil, at("idx %s is not in the test set", r["idx"])
		}
		p := data.Preference{ID: fmt.Sprint("pandalm-", idx), Judge: judge, Method: "pandalm", Order: data.OrderAB, Status: data.Unparsed}
		found := false
		for field, value := range r {
			switch text := strings.Trim(string(value), `"`); {
			case strings.HasSuffix(field, "_result"):
				found = true
				if choice, ok := pandaChoices[strings.ToLower(text)]; ok {
					p.Status, p.Choice = data.Valid, string(choice)
				} else {
					p.Reason = fmt.Sprintf("the published result is %q", data.Clip(text))
				}
			case strings.HasSuffix(field, "_reason"):
				json.Unmarshal(value, &p.Rationale) // one that is no text is left out
			}
		}
		if !found {
			return nil, at("there is no field …_result")
		}
		given = append(given, p)
	}
	return given, nil
}

// readList reads a JSON list and the lines on which its items begin.
func readList(path string, into any) ([]int, error) {
	content, path, err := data.ReadText(path)
	if err != nil {
		return nil, err
	}
	var items []json.RawMessage
	for _, to := range []any{&items, into} {
		if err := json.Unmarshal(content, to); err != nil {
			return nil, &data.LineError{Path: path, Line: errorLine(content, 0, err), Err: err}
		}
	}
	return itemLines(content, 0, items), nil
}

// wordOrText is a text, or the word of a JSON true or false.
func wordOrText(raw json.RawMessage) (text string, err error) {
	switch string(raw) {
	case "true", "false":
		return strings.ToUpper(string(raw[:1])) + string(raw[1:]), nil
	}
	if err := json.Unmarshal(raw, &text); err != nil || raw == nil || string(raw) == "null" {
		return "", fmt.Errorf("%s; a text is needed", data.Clip(string(raw)))
	}
	return text, nil
}

func deref(n *int) any {
	if n == nil {
		return "missing"
	}
	return *n
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
