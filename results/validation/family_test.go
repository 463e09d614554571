package validation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"compqa/results/raters"
)

// TestFamilyBias: a judge of the family gpt gives gpt-x a point more than people do on every second item of gpt-x, and other systems
// nothing more. By hand, with 10 items in each group and each item its own cluster, the difference is 0.5, and its variance 20/19 · 10 ·
// (0.5/10)².
func TestFamilyBias(t *testing.T) {
	log := "log.jsonl\n"
	people := "people.csv\nid,score\n"
	for i := range 20 {
		system := "gpt-x"
		judged := 3 + i/2%2
		if i%2 == 1 {
			system = "my-llama3"
			judged = 3
		}
		log += fmt.Sprintf(`{"id": "i%d", "system": %q, "judge": "openai/gpt-4o-mini", "score": %d, "other": %d}`+"\n", i, system, judged, 1+i%5)
		people += fmt.Sprintf("i%d,3\n", i)
	}
	r := study(t, log, people)
	row := r.Pairings[0].row(Mean)
	want := 0.5
	if b := row.FamilyBias; row.Family != "gpt" || !b.Known || math.Abs(b.Value-want) > 1e-12 {
		t.Fatalf("family %q, bias %v", row.Family, b)
	}
	half := 2.093024 * math.Sqrt(20./19*10*0.0025) // Student's t with 19 degrees of freedom
	if low := row.FamilyBias.Low; math.Abs(low-(want-half)) > 1e-6 {
		t.Errorf("the interval begins at %v, want %v", low, want-half)
	}
	if text := strings.Join(r.errors(r.Pairings[0]).Texts(), "\n"); !strings.Contains(text, "own family (gpt) it gives +0.50") {
		t.Error(text)
	}
	for name, want := range map[string]string{"llama3.1:8b": "llama", "Qwen2.5-7B": "qwen", "weighted_alpaca_eval_gpt4_turbo": "gpt",
		"anthropic/claude-sonnet-5": "claude", "mistral-large": "mistral", "o3-mini": "gpt", "extractive": "", "phishing": ""} {
		if got := r.familyOf(name); got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
}

// TestFamilyCoverage: the interval contains the true difference in 93 to 97 % of samples, if questions differ and the systems of a question
// have errors in common.
func TestFamilyCoverage(t *testing.T) {
	const samples, truth = 2000, 0.3
	for _, questions := range []int{30, 150} {
		inside := 0
		for i := range samples {
			random := rand.New(rand.NewPCG(3, uint64(i)))
			var gaps []float64
			var flags []bool
			var clusters []int
			for q := range questions {
				common := random.NormFloat64()
				for system := range 3 {
					gap := common*0.5 + random.NormFloat64()
					if system == 0 {
						gap += truth
					}
					gaps = append(gaps, gap)
					flags = append(flags, system == 0)
					clusters = append(clusters, q)
				}
			}
			e := raters.Pairs{Clusters: clusters}.Contrast(gaps, flags, nil, level)
			if !(e.SE > 0) || e.SetBounds() != nil {
				t.Fatal(e)
			}
			if e.Low <= truth && truth <= e.High {
				inside++
			}
		}
		if share := float64(inside) / samples; share < 0.93 || share > 0.97 {
			t.Errorf("%d questions: %.3f of the intervals contain the difference", questions, share)
		} else {
			t.Logf("%d questions: %.3f", questions, share)
		}
	}
}
