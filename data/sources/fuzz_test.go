package sources

import (
	"os"
	"path/filepath"
	"testing"

	"compqa/data"
)

// FuzzOthersFiles passes each text to the readers of other programs' files: answers, ratings, preferences, readings, and the folders of
// LLMBar and CoCoTrip. No reader may panic, and no error is empty.
func FuzzOthersFiles(f *testing.F) {
	for _, seed := range []string{
		"id,question,answer,system\n1,Is a better than b?,a,s\n", "item,rater,value\na,r,1\na,s,2\n",
		"item;r1;r2\na;1;NaN\n",
		"pair_id,winner,annotator\np,model_a,x\n", `{"id": "p", "preference": "b", "order": "ba", "rater": ["x"]}`,
		`[{"input": "q", "output_1": "a", "output_2": "b", "label": 1}]`, `[{"completion": ["Output (a)"], "winner": "1"}]`,
		`{"dev": [{"summ": ["a"]}], "test": []}`, `{"0": {"entity_a": ["x"], "entity_b": ["y"]}}`,
		`[{"id": 1, "data": {"id": "a"}, "annotations": [{"completed_by": 1, "result": [` +
			`{"from_name": "c", "type": "rating", "value": {"rating": 1e999}}]}]}]`,
		"q1 0 d1 1\nq1 0 d2 0\n", "readings:\n- {file: a.csv, side: people, columns: [{column: a, role: item}]}\n", "readings: &a [*a]\n", "\x00", "{}", "",
	} {
		f.Add(seed)
	}
	questions := []data.Question{{ID: "1", Object1: "a", Object2: "b", Text: "Is a better than b?"}}
	find := func(string) (data.Pair, bool) { return data.Pair{}, true }
	dir := f.TempDir()
	names := []string{"f.csv", "f.json", "f.jsonl", "f.tsv", "dataset.json", "evaluators/j/s/result.json", "human_references.json"}
	for _, split := range CoCoTripSplits {
		names = append(names, "cocotrip_"+split+"_bench_dataset.json")
	}
	if err := os.MkdirAll(filepath.Join(dir, "evaluators/j/s"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said := func(what string, err error) {
			if err != nil && err.Error() == "" {
				t.Errorf("%s: an error without a text", what)
			}
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names[:4] {
			path := filepath.Join(dir, name)
			_, _, err := ReadAnswers(path, questions, Options{})
			said("answers", err)
			_, _, err = ReadRatings(path, "", Options{})
			said("ratings", err)
			_, _, _, err = ReadPreferences(path, find, Options{})
			said("preferences", err)
			_, err = OpenReadings(path)
			said("readings", err)
		}
		_, err := ReadLLMBar(dir)
		said("LLMBar", err)
		_, err = ReadCoCoTrip(dir)
		said("CoCoTrip", err)
	})
}
