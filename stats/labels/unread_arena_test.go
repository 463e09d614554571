package labels

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/stats"
)

// An arenaPair is a line of the files that Jung, Brahman and Choi published: a pair of Chatbot Arena with the probabilities of a judge.
type arenaPair struct {
	Instruction string      `json:"instruction"`
	Outputs     []string    `json:"outputs"`
	Preferences arenaChoice `json:"preferences"`
	Probs       []float64   `json:"probs"`
}

// An arenaChoice is the choice of a person: 1 or 2.
type arenaChoice struct {
	Human int `json:"human"`
}

// arenaJudges are the judges of the files, the cheapest first.
var arenaJudges = []string{"mistral-7b-instruct", "gpt-3.5-turbo", "gpt-4-turbo"}

// arenaFile returns the path of a judge's file in a folder.
func arenaFile(folder, judge string) string { return filepath.Join(folder, judge+".calibration.jsonl") }

// inventedArena writes 500 invented pairs in the form of the published files, and returns their folder. A person chooses by a hidden
// difference of quality; the dearer the judge, the less noise it sees it with.
func inventedArena(t *testing.T) string {
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 500))
	lines := make([]strings.Builder, len(arenaJudges))
	for i := range 500 {
		difference := rng.NormFloat64()
		choice := 1
		if difference+.5*rng.NormFloat64() > 0 {
			choice = 2
		}
		for j := range arenaJudges {
			seen := difference + []float64{1.4, 1, .5}[j]*rng.NormFloat64()
			second := 1 / (1 + math.Exp(-2*seen))
			err := json.NewEncoder(&lines[j]).Encode(arenaPair{fmt.Sprintf("question %d", i), []string{"x", "y"}, arenaChoice{choice},
				[]float64{1 - second, second}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for j, judge := range arenaJudges {
		if err := os.WriteFile(arenaFile(folder, judge), []byte(lines[j].String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// arenaPairs reads the files in a folder. It returns, by judge and pair, how sure the judge is of its choice, and whether the choice
// differs from the person's. All files list the pairs in the same order.
func arenaPairs(t *testing.T, folder string) (confidence [][]float64, wrong [][]bool) {
	var first []string
	for j, judge := range arenaJudges {
		f, err := os.Open(arenaFile(folder, judge))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		confidence = append(confidence, nil)
		wrong = append(wrong, nil)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var pair arenaPair
			if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
				t.Fatal(err)
			}
			text := pair.Instruction + "\n" + pair.Outputs[0]
			if j == 0 {
				first = append(first, text)
			} else if k := len(confidence[j]); k >= len(first) || first[k] != text {
				t.Fatalf("%s: pair %d is another one than that of the first judge", judge, k)
			}
			chosen := 1
			if pair.Probs[1] > pair.Probs[0] {
				chosen = 2
			}
			confidence[j] = append(confidence[j], max(pair.Probs[0], pair.Probs[1]))
			wrong[j] = append(wrong[j], chosen != pair.Preferences.Human)
		}
	}
	return confidence, wrong
}

// TestSoakUnreadArena labels a random 300 of 500 pairs. In at most a tenth of 1,000 splits, more than 20 % of the unread verdicts are wrong,
// for each judge and for the cascade of the three. The pairs are invented; with COMPQA_ARENA, they are the published ones in a copy of the
// folder result of github.com/jaehunjung1/cascaded-selective-evaluation.
func TestSoakUnreadArena(t *testing.T) {
	sharedtest.Soak(t)
	folder := os.Getenv("COMPQA_ARENA")
	if folder == "" {
		t.Log("the pairs are invented: COMPQA_ARENA names no copy of the published ones")
		folder = inventedArena(t)
	}
	confidence, wrong := arenaPairs(t, folder)
	const splits, labels, alpha, delta = 1000, 300, .2, .1
	try := func(name string, confidence [][]float64, wrong [][]bool) {
		rng := stats.NewRNG(1, "arena "+name)
		order := make([]int, len(confidence[0]))
		for i := range order {
			order[i] = i
		}
		answers := 0
		bad := 0
		share := 0.0
		for range splits {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			u := Unread{Confidence: confidence, Alpha: alpha, Delta: delta}
			u.label(order[:labels], wrong)
			s := u.Answer()
			share += s.Share / splits
			if s.Widest >= 0 {
				answers++
				if u.wrongUnread(wrong, s) {
					bad++
				}
			}
		}
		t.Logf("%s: %d answers of %d, share unread %.3f, wrong in %.3f", name, answers, splits, share, float64(bad)/splits)
		if answers == 0 && name == "cascade" {
			t.Errorf("%s: no answer in any split", name)
		}
		if float64(bad) > delta*splits {
			t.Errorf("%s: the answer is wrong in %d of %d splits", name, bad, splits)
		}
	}
	for j, name := range arenaJudges {
		errors := 0
		for _, is := range wrong[j] {
			if is {
				errors++
			}
		}
		t.Logf("%s agrees with people on %.3f of %d pairs", name, 1-float64(errors)/float64(len(wrong[j])), len(wrong[j]))
		try(name, confidence[j:j+1], wrong[j:j+1])
	}
	try("cascade", confidence, wrong)
}
