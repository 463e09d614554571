package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"compqa/data"
)

// LLMBar is a checkout of LLMBar (Zeng et al. 2024): sets of pairs with a gold preference, and the completions of the authors' judges.
type LLMBar struct {
	Sets    []data.PreferenceSet // named for their folders, for example "Adversarial/Neighbor"
	Results []LLMBarResult
	Skipped []string // folders of results without completions
}

// An LLMBarResult holds the completions of one judge with one prompt style on one set, and the authors' statistics of them.
type LLMBarResult struct {
	Set         string
	Judge       string // for example GPT-4
	Style       string // for example Vanilla
	Path        string // folder, below the checkout
	Completions []Completion
	Statistics  []byte // content of statistics.json; nil if there is none
}

// A Completion is a judge's reply to a pair that was shown in one order.
type Completion struct {
	Pair   string // data.OrderAB or data.OrderBA
	Order  string
	Text   string
	Finish string      // the server's finish reason; "" if unknown
	Stored data.Choice // the choice that the authors read from it; only for comparison
}

// The files of a checkout.
const (
	llmbarPairs      = "dataset.json"
	llmbarResult     = "result.json"
	llmbarStatistics = "statistics.json"
)

type llmbarItem struct {
	Input   string            `json:"input"`
	Output1 string            `json:"output_1"`
	Output2 string            `json:"output_2"`
	Label   int               `json:"label"`
	Results []json.RawMessage `json:"results"`
}

type llmbarReply struct {
	Completion []string `json:"completion"`
	Winner     string   `json:"winner"`
}

// ReadLLMBar reads a checkout of LLMBar or the folder of one of its sets. Each folder with a dataset.json is a set. Each subfolder
// evaluators/JUDGE/STYLE with a result.json has completions. Of several rounds of completions the last one counts, as for the authors.
func ReadLLMBar(dir string) (*LLMBar, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("the LLMBar folder %s does not exist: %w", dir, fs.ErrNotExist)
	}
	found, err := (&Format{Files: llmbarPairs}).files(dir)
	if err != nil {
		return nil, fmt.Errorf("%s has no LLMBar set: it contains no %s: %w", dir, llmbarPairs, fs.ErrNotExist)
	}
	bar := &LLMBar{}
	for _, file := range found {
		if err := bar.readSet(dir, filepath.Dir(file)); err != nil {
			return nil, err
		}
	}
	return bar, nil
}

// readSet reads the set in a folder, and the results of its judges. Results without completions are listed in Skipped.
func (bar *LLMBar) readSet(root, folder string) error {
	name, err := filepath.Rel(root, folder)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	if name == "." {
		name = filepath.Base(folder)
	}
	items, documents, err := data.ReadItems[llmbarItem](filepath.Join(folder, llmbarPairs))
	if err != nil {
		return err
	}
	set := data.PreferenceSet{Name: name}
	domain, _, _ := strings.Cut(name, "/")
	for i, it := range items {
		label, ok := map[int]data.Choice{1: data.ChoiceA, 2: data.ChoiceB}[it.Label]
		if !ok {
			return documents[i].Errorf("label is %d; it must be 1 or 2", it.Label)
		}
		set.Pairs = append(set.Pairs, data.Pair{ID: name + "/" + strconv.Itoa(i+1), Question: it.Input, A: it.Output1, B: it.Output2,
			Label: label, Cluster: data.QuestionCluster(it.Input), Domain: domain})
	}
	bar.Sets = append(bar.Sets, set)
	results, err := filepath.Glob(filepath.Join(folder, "evaluators", "*", "*", llmbarResult))
	if err != nil {
		return err
	}
	for _, path := range results {
		folder := filepath.Dir(path)
		r := LLMBarResult{Set: set.Name, Judge: filepath.Base(filepath.Dir(folder)), Style: filepath.Base(folder)}
		r.Completions, err = completions(path, set)
		if errors.Is(err, errNoCompletions) {
			bar.Skipped = append(bar.Skipped, folder)
			continue
		}
		if err == nil {
			r.Path, err = filepath.Rel(root, folder)
		}
		if err != nil {
			return err
		}
		r.Statistics, err = os.ReadFile(filepath.Join(folder, llmbarStatistics))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading %s: %w", folder, err)
		}
		bar.Results = append(bar.Results, r)
	}
	return nil
}

// errNoCompletions is the cause of the error of a result that has no completion for a pair.
var errNoCompletions = errors.New("no completion")

// completions returns the last round of completions in a result: for each pair, one for each order.
func completions(path string, set data.PreferenceSet) (list []Completion, err error) {
	items, documents, err := data.ReadItems[llmbarItem](path)
	switch {
	case err != nil:
		return nil, err
	case len(items) != len(set.Pairs):
		return nil, fmt.Errorf("%s: the file has %d items, but %s has %d pairs", path, len(items), llmbarPairs, len(set.Pairs))
	}
	for i, it := range items {
		p := set.Pairs[i]
		var last struct {
			AB *llmbarReply `json:"swap = False"`
			BA *llmbarReply `json:"swap = True"`
		}
		switch {
		case it.Input != p.Question || it.Output1 != p.A || it.Output2 != p.B:
			return nil, documents[i].Errorf("this is not the pair at the same position in %s", llmbarPairs)
		case len(it.Results) == 0:
			return nil, documents[i].Errorf("results is empty")
		}
		if err := json.Unmarshal(it.Results[len(it.Results)-1], &last); err != nil {
			return nil, documents[i].Errorf("the last of results: %w", err)
		}
		for k, s := range []*llmbarReply{last.AB, last.BA} {
			if s == nil || len(s.Completion) == 0 {
				return nil, documents[i].Errorf("the last of results, order %s: %w", data.Orders[k], errNoCompletions)
			}
			c := Completion{Pair: p.ID, Order: data.Orders[k], Text: s.Completion[0], Stored: data.NoChoice}
			if len(s.Completion) > 1 {
				c.Finish = s.Completion[1]
			}
			if s.Winner != "" {
				c.Stored = map[string]data.Choice{"1": data.ChoiceA, "2": data.ChoiceB}[s.Winner]
			}
			list = append(list, c)
		}
	}
	return list, nil
}
