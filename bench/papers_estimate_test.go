package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// estimatedMethods are entries of pairwise judges, one for each sequence of stages that an estimate must handle.
var estimatedMethods = []string{"direct", "direct+aspects", "cot", "cot-1shot", "cot-selfcon", "sc2", "sc2, selection: exact", "sc2, selection: random",
	"sc2-selfcon", "con-j", "con-j-selfcon"}

// TestEstimateOfStages: the prompts of a run have the estimated size, within 25 %, for methods with all kinds of stages on three sets.
func TestEstimateOfStages(t *testing.T) {
	estimateMethods(t, []string{"cot-1shot", "sc2, selection: exact", "con-j"})
}

// TestSoakEstimateOfStages runs TestEstimateOfStages with every method.
func TestSoakEstimateOfStages(t *testing.T) {
	sharedtest.Soak(t)
	estimateMethods(t, estimatedMethods)
}

func estimateMethods(t *testing.T, methods []string) {
	t.Parallel()
	headphones, err := os.ReadFile(filepath.Join(sharedtest.Path(t, "cases5", "papers", "C-estimate"), "pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.ReplaceAll(twoPairs, "RIGHT", "RIGHT "+strings.Repeat("and explained at length ", 100))
	sets := map[string]string{"short": twoPairs, "headphones": strings.Join(strings.SplitAfter(string(headphones), "\n")[:2], ""), "long": long}
	for _, method := range methods {
		for set, pairs := range sets {
			t.Run(method+" "+set, func(t *testing.T) {
				server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
				entry := fmt.Sprintf("pairwise:\n  - {name: judge, provider: scripted, model: m, method: %s}\n", method)
				dir := withKeys(t, pairwiseFiles(t, server.URL, pairs, entry), "order: ab")
				args := []string{"--only", "pairs", "--config", filepath.Join(dir, "compqa.yaml"), "--out", filepath.Join(dir, "run")}
				code, stdout, stderr := compqa(append([]string{"estimate"}, args...)...)
				if code != exitDone {
					t.Fatalf("exit %d: %s", code, stderr)
				}
				x := estimated(t, stdout, "judge (pairwise)")
				if code, _, stderr := compqa(append([]string{"run"}, args...)...); code != exitDone {
					t.Fatalf("exit %d: %s", code, stderr)
				}
				bytes := 0
				for _, body := range server.bodies {
					if form, sent := body["response_format"]; sent { // providers count the schema as part of the prompt
						text, err := json.Marshal(form)
						if err != nil {
							t.Fatal(err)
						}
						bytes += len(text)
					}
					for _, m := range body["messages"].([]any) {
						bytes += len(m.(map[string]any)["content"].(string))
					}
				}
				if share := x[2] / (float64(bytes) / 4); math.Abs(share-1) > 0.25 || math.Abs(x[1]-float64(len(server.bodies))) > x[1]/4 {
					t.Errorf("%v tokens in %v calls are estimated, %d in %d are asked: %.2f of them", x[2], x[1], bytes/4, len(server.bodies), share)
				}
			})
		}
	}
}
