package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
)

// LLMBar is a checkout of LLMBar (Zeng et al. 2024): sets of pairs with a gold
// preference, and the completions of its authors' judges.
type LLMBar struct {
	Sets    []LLMBarSet
	Results []LLMBarResult
	Skipped []string // folders of results without completions
}

// An LLMBarSet is one of its sets. The name is that of its folder, for example
// "Adversarial/Neighbor"; the part before the slash is the domain of its pairs.
type LLMBarSet struct {
	Name  string
	Pairs []data.Pair
}

// An LLMBarResult holds one judge's completions with one style of prompt on one set, and
// the authors' statistics of them.
type LLMBarResult struct {
	Set         string
	Judge       string // GPT-4
	Style       string // Vanilla
	Path        string // folder, below the checkout
	Completions []Completion
	Statistics  []byte // content of statistics.json; nil: none
}

// A Completion is the reply to a pair shown in one order.
type Completion struct {
	Pair   string // Pair.ID
	Order  string
	Text   string
	Finish string      // finish reason of the server; "": unknown
	Stored data.Choice // the authors' reading of it, only for comparison
}

// The files of a checkout.
const (
	llmbarPairs      = "dataset.json"
	llmbarResult     = "result.json"
	llmbarStatistics = "statistics.json"
	llmbarEvaluators = "evaluators"
)

type llmbarItem struct {
	data.Document `json:"-"`

	Input   string            `json:"input"`
	Output1 string            `json:"output_1"`
	Output2 string            `json:"output_2"`
	Label   int               `json:"label"`
	Results []json.RawMessage `json:"results"`
}

// ReadLLMBar reads a checkout, or the folder of one of its sets: every folder
// with a dataset.json is a set, and every evaluators/JUDGE/STYLE in it with a
// result.json has completions. Of several rounds of completions the last one counts, as
// for the authors.
func ReadLLMBar(dir string) (*LLMBar, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("the LLMBar folder %s does not exist: %w", dir, fs.ErrNotExist)
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == llmbarPairs {
			found = append(found, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", dir, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no LLMBar set: it contains no %s: %w", dir, llmbarPairs, fs.ErrNotExist)
	}
	slices.Sort(found)
	bar := &LLMBar{}
	for _, folder := range found {
		if err := bar.readSet(dir, folder); err != nil {
			return nil, err
		}
	}
	return bar, nil
}

func (bar *LLMBar) readSet(root, folder string) error {
	name, err := filepath.Rel(root, folder)
	if err != nil {
		return err
	}
	if name = filepath.ToSlash(name); name == "." {
		name = filepath.Base(folder)
	}
	items, err := readLLMBarItems(filepath.Join(folder, llmbarPairs))
	if err != nil {
		return err
	}
	set := LLMBarSet{Name: name}
	domain, _, _ := strings.Cut(name, "/")
	for i, it := range items {
		label, ok := map[int]data.Choice{1: data.ChoiceA, 2: data.ChoiceB}[it.Label]
		if !ok {
			return it.Errorf("label is %d; it must be 1 or 2", it.Label)
		}
		set.Pairs = append(set.Pairs, data.Pair{ID: name + "/" + strconv.Itoa(i+1), Question: it.Input, A: it.Output1, B: it.Output2,
			Label: label, Cluster: data.QuestionCluster(it.Input), Domain: domain})
	}
	bar.Sets = append(bar.Sets, set)
	results, err := filepath.Glob(filepath.Join(folder, llmbarEvaluators, "*", "*", llmbarResult))
	if err != nil {
		return err
	}
	for _, path := range results {
		r, err := readReleased(path, set)
		if errors.Is(err, errNoCompletions) {
			bar.Skipped = append(bar.Skipped, filepath.Dir(path))
			continue
		}
		if err != nil {
			return err
		}
		if r.Path, err = filepath.Rel(root, filepath.Dir(path)); err != nil {
			return err
		}
		bar.Results = append(bar.Results, r)
	}
	return nil
}

func readReleased(path string, set LLMBarSet) (LLMBarResult, error) {
	folder := filepath.Dir(path)
	r := LLMBarResult{Set: set.Name, Judge: filepath.Base(filepath.Dir(folder)), Style: filepath.Base(folder)}
	items, err := readLLMBarItems(path)
	if err != nil {
		return r, err
	}
	if len(items) != len(set.Pairs) {
		return r, items[len(items)-1].Errorf("the file has %d items, but %s has %d pairs", len(items), llmbarPairs, len(set.Pairs))
	}
	for i, it := range items {
		p := set.Pairs[i]
		if it.Input != p.Question || it.Output1 != p.A || it.Output2 != p.B {
			return r, it.Errorf("this is not the pair at the same position in %s", llmbarPairs)
		}
		said, err := completions(it, p.ID)
		if err != nil {
			return r, it.Errorf("%w", err)
		}
		r.Completions = append(r.Completions, said...)
	}
	r.Statistics, err = os.ReadFile(filepath.Join(folder, llmbarStatistics))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("reading %s: %w", folder, err)
	}
	return r, nil
}

// errNoCompletions says that results contain something else.
var errNoCompletions = errors.New("no completion")

// completions returns the last completions of an item, in both orders.
func completions(it llmbarItem, pair string) ([]Completion, error) {
	if len(it.Results) == 0 {
		return nil, fmt.Errorf("results is empty")
	}
	type said struct {
		Completion []string `json:"completion"`
		Winner     *string  `json:"winner"`
	}
	var last struct {
		AB *said `json:"swap = False"`
		BA *said `json:"swap = True"`
	}
	if err := json.Unmarshal(it.Results[len(it.Results)-1], &last); err != nil {
		return nil, fmt.Errorf("the last of results: %w", err)
	}
	var list []Completion
	for i, s := range []*said{last.AB, last.BA} {
		order := data.Orders[i]
		if s == nil || len(s.Completion) == 0 {
			return nil, fmt.Errorf("the last of results, order %s: %w", order, errNoCompletions)
		}
		c := Completion{Pair: pair, Order: order, Text: s.Completion[0], Stored: data.NoChoice}
		if len(s.Completion) > 1 {
			c.Finish = s.Completion[1]
		}
		if s.Winner != nil {
			c.Stored = map[string]data.Choice{"1": data.ChoiceA, "2": data.ChoiceB}[*s.Winner]
		}
		list = append(list, c)
	}
	return list, nil
}

// readLLMBarItems reads a JSON list of items, each with its first line.
func readLLMBarItems(path string) ([]llmbarItem, error) {
	items, at, err := data.ReadItems[llmbarItem](path)
	if err != nil {
		return nil, fmt.Errorf("reading LLMBar: %w", err)
	}
	for i := range items {
		items[i].Document = at[i]
	}
	if len(items) == 0 {
		return nil, &data.LineError{Path: path, Line: 1, Err: errors.New("the list is empty")}
	}
	return items, nil
}
