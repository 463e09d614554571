// Package train makes training data of a record: examples for supervised fine-tuning and
// pairs for preference optimisation, in the formats of four trainers, each with a card.
//
// An export never trains on what it evaluates: a question (an unordered pair of objects) is
// in one split only, questions of a named evaluation set are refused, and prompts with the
// judges' own examples are left out. Only valid verdicts are used to select.
package train

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"compqa/data"
	"compqa/results/table"
)

// An Example is a prompt with a completion. For preference optimisation, it has a chosen and a rejected completion.
type Example struct {
	ID       string // of the answer, the pair of answers, or the call from which it is made
	Question string // key of the question; splits divide questions
	Prompt   []data.ChatMessage
	Chosen   string
	Rejected string // "" for supervised fine-tuning
	System   string // the system of the chosen answer, or the judge
	Scenario string // the scenario, the order of a pair, or the stage of a method
	Points   float64
	Source   string
}

// Paired reports whether an example has a rejected completion.
func (e Example) Paired() bool { return e.Rejected != "" }

// AnswerIDs returns the IDs of the chosen and the rejected answer. rejected is "" if the example is not a pair of answers.
func (e Example) AnswerIDs() (chosen, rejected string) {
	chosen, rejected, _ = strings.Cut(e.ID, pairMark)
	return chosen, rejected
}

// pairMark separates the two answers in the ID of a pair.
const pairMark = " > "

// PromptText returns the prompt as one text.
func (e Example) PromptText() string {
	var b strings.Builder
	for _, m := range e.Prompt {
		fmt.Fprintf(&b, "%s\n%s\n", m.Role, m.Content)
	}
	return b.String()
}

// A Refusal is an error: the request would leak evaluation data, or leaves nothing to train on. Its text says what would be right.
type Refusal struct{ Reason string }

func (r Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return Refusal{fmt.Sprintf(format, args...)} }

// Fraction returns a number in [0, 1) that depends only on a seed and names, by SHA-256.
func Fraction(seed int64, names ...string) float64 {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d\x00%s", seed, strings.Join(names, "\x00"))))
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// IsHeldOut reports whether a question is held out, by a seeded hash. share is the expected share of held-out questions.
func IsHeldOut(question string, share float64, seed int64) bool {
	return Fraction(seed, "split", question) < share
}

// Split divides examples by question. All examples of a question are in the same split. About the given share of the questions is held out.
func Split(examples []Example, share float64, seed int64) (training, heldOut []Example) {
	isHeldOut := func(e Example) bool { return IsHeldOut(e.Question, share, seed) }
	return data.Where(examples, func(e Example) bool { return !isHeldOut(e) }), data.Where(examples, isHeldOut)
}

// Subset keeps the n examples with the smallest hashes of seed and name, in their original order. Smaller subsets are parts of larger ones
// (Con-J's Figure 3 compares sets of 2,000 to 64,000 pairs).
func Subset(examples []Example, n int, seed int64, name string) []Example {
	order := slices.Clone(examples)
	slices.SortFunc(order, func(a, b Example) int {
		return cmp.Or(cmp.Compare(Fraction(seed, name, a.ID), Fraction(seed, name, b.ID)), cmp.Compare(a.ID, b.ID))
	})
	kept := data.Among(data.Each(order[:min(n, len(order))], func(e Example) string { return e.ID }))
	return data.Where(examples, func(e Example) bool { return kept[e.ID] })
}

// Near duplicates are texts whose sets of shingles (runs of shingleSize words) have a Jaccard similarity of at least alike.
const (
	shingleSize = 5
	alike       = 0.8
)

// WithoutDuplicates removes examples whose text is equal (after folding), or nearly equal, to that of an example with more points. Among
// equal points, the first ID stays. Only examples with the same value of within are compared. The order is kept; same and near count the
// removed examples.
func WithoutDuplicates(examples []Example, within func(Example) string) (kept []Example, same, near int) {
	byPoints := slices.Clone(examples)
	slices.SortStableFunc(byPoints, func(a, b Example) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.ID, b.ID))
	})
	in := map[string]bool{}
	for _, group := range table.Grouped(byPoints, within) {
		index := shingles{folded: map[string]bool{}, places: map[string][]int{}}
		for _, e := range group {
			switch duplicate, exact := index.add(e.Chosen + "\n" + e.Rejected); {
			case exact:
				same++
			case duplicate:
				near++
			default:
				in[e.ID] = true
			}
		}
	}
	return data.Where(examples, func(e Example) bool { return in[e.ID] }), same, near
}

// Anywhere is a value of within that compares all examples with each other.
func Anywhere(Example) string { return "" }

// A shingles is an index of texts by their runs of words.
type shingles struct {
	folded map[string]bool
	places map[string][]int // by run of words: the texts that contain it
	sizes  []int
}

// add adds a text unless the index has a duplicate of it. exact reports whether the duplicate is equal after folding.
func (x *shingles) add(text string) (duplicate, exact bool) {
	words := data.Words(text)
	folded := strings.Join(words, " ")
	if x.folded[folded] {
		return true, true
	}
	names := map[string]bool{}
	for i := 0; i == 0 || i+shingleSize <= len(words); i++ {
		names[strings.Join(words[i:min(i+shingleSize, len(words))], " ")] = true
	}
	common := map[int]int{}
	for s := range names {
		for _, k := range x.places[s] {
			common[k]++
		}
	}
	for k, n := range common {
		if float64(n) >= alike*float64(len(names)+x.sizes[k]-n) {
			return true, false
		}
	}
	x.folded[folded] = true
	for s := range names {
		x.places[s] = append(x.places[s], len(x.sizes))
	}
	x.sizes = append(x.sizes, len(names))
	return false, false
}

// WithTexts removes examples with an empty completion, which trainers cannot read. It also removes pairs whose texts are equal after
// folding, which teach nothing.
func WithTexts(examples []Example, paired bool) []Example {
	return slices.DeleteFunc(slices.Clone(examples), func(e Example) bool {
		return strings.TrimSpace(e.Chosen) == "" || paired &&
			(strings.TrimSpace(e.Rejected) == "" || slices.Equal(data.Words(e.Chosen), data.Words(e.Rejected)))
	})
}

// WithoutTexts removes the examples that contain one of the texts, such as the examples in judges' prompts.
func WithoutTexts(examples []Example, texts []string) []Example {
	var folded []string
	for _, t := range texts {
		if words := data.Words(t); len(words) >= shingleSize { // a shorter text could occur by chance
			folded = append(folded, " "+strings.Join(words, " ")+" ")
		}
	}
	return slices.DeleteFunc(slices.Clone(examples), func(e Example) bool {
		text := " " + strings.Join(data.Words(e.PromptText()+"\n"+e.Chosen+"\n"+e.Rejected), " ") + " "
		return slices.ContainsFunc(folded, func(t string) bool { return strings.Contains(text, t) })
	})
}

// A TestSet is a set of questions on which results are reported.
type TestSet struct {
	Name      string
	Keys      map[string]bool // keys of its questions: pairs of objects, and folded texts
	Benchmark bool            // the program's own set or a published one, which training may use on request
	Overlaps  []string        // questions of the export that are in the set
}

// CheckOverlap finds the questions of examples that are in test sets, and stores them in Overlaps. An overlap is a Refusal, unless the set
// is a benchmark and allowed is true.
func CheckOverlap(examples []Example, sets []TestSet, allowed bool) error {
	keys := questions(examples)
	for i := range sets {
		set := &sets[i]
		set.Overlaps = append(set.Overlaps, data.Where(keys, func(key string) bool { return set.Keys[key] })...)
		switch n := len(set.Overlaps); {
		case n == 0, set.Benchmark && allowed:
		case set.Benchmark:
			return refuse("%d of the %d questions (%s …) are in the benchmark %s: a model that is trained on them cannot be compared on it. "+
				"Use a run over other questions, or --train-on-benchmark, which the card and each leaderboard will mention",
				n, len(keys), set.Overlaps[0], set.Name)
		default:
			return refuse("%d of the %d questions (%s …) are in the evaluation set %s; leave them out of the run", n, len(keys), set.Overlaps[0],
				set.Name)
		}
	}
	return nil
}

// benchmarkHashes has a line for each question of a published benchmark of judges: the benchmark's name and the hash of the folded
// question. The program does not contain the questions themselves.
//
//go:embed benchmarks.txt
var benchmarkHashes string

// BenchmarkOf returns the name of the published benchmark that contains a question, wherever the question comes from. It returns "" if no
// known benchmark has it.
func BenchmarkOf(question string) string {
	before, _, found := strings.Cut(benchmarkHashes, " "+questionHash(question)+"\n")
	if !found {
		return ""
	}
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// PublishedIn returns the name of the benchmark that contains a pair's question: cqa50 or a published one, else "".
func PublishedIn(p data.Pair) string {
	if q, comparative := p.Comparative(); comparative && builtIn()[q.Pair()] || builtIn()[data.QuestionCluster(p.Question)] {
		return data.CQA50Name
	}
	return BenchmarkOf(p.Question)
}

// builtIn returns the keys of the questions of cqa50.
var builtIn = sync.OnceValue(func() map[string]bool { return KeysOf(data.CQA50()) })

// KeysOf returns the keys of questions: their pairs of objects, and their folded texts.
func KeysOf(questions []data.Question) map[string]bool {
	return data.Among(slices.Concat(data.Each(questions, data.Question.Pair),
		data.Each(questions, func(q data.Question) string { return data.QuestionCluster(q.Text) })))
}

// questionHash returns the first 8 bytes of the SHA-256 of a question, in lower case and with normalised spacing.
func questionHash(question string) string {
	sum := sha256.Sum256([]byte(data.QuestionCluster(question)))
	return hex.EncodeToString(sum[:8])
}
