package labels

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"compqa/data/sharedtest"
	"compqa/stats"
)

// arenaPairs reads the pairs of Chatbot Arena that Jung, Brahman and Choi published, with the probabilities of three judges. It returns, by
// judge and pair, how sure the judge is of its choice, and whether the choice differs from the person's. All files list the pairs in the
// same order.
func arenaPairs(t *testing.T) (confidence [][]float64, wrong [][]bool) {
	folder := os.Getenv("COMPQA_ARENA")
	if folder == "" {
		t.Skip("SKIPPED: COMPQA_ARENA names no copy of the folder result of github.com/jaehunjung1/cascaded-selective-evaluation")
	}
	var first []string
	for j, judge := range []string{"mistral-7b-instruct", "gpt-3.5-turbo", "gpt-4-turbo"} {
		f, err := os.Open(filepath.Join(folder, judge+".calibration.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		confidence = append(confidence, nil)
		wrong = append(wrong, nil)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var pair struct {
				Instruction string
				Outputs     []string
				Preferences struct{ Human int } // 1 or 2
				Probs       []float64
			}
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

// TestSoakUnreadArena labels a random 300 of the 500 published pairs. In at most a tenth of 1,000 splits, more than 20 % of the unread
// verdicts are wrong, for each judge and for the cascade of the three.
func TestSoakUnreadArena(t *testing.T) {
	sharedtest.Soak(t)
	confidence, wrong := arenaPairs(t)
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
		if float64(bad) > delta*splits {
			t.Errorf("%s: the answer is wrong in %d of %d splits", name, bad, splits)
		}
	}
	for j, name := range []string{"mistral-7b-instruct", "gpt-3.5-turbo", "gpt-4-turbo"} {
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
