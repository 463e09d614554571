package sources

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// TestPairsInOtherWords checks that pairs in the formats of other programs give the same pair as the first file, with a as the better
// answer.
func TestPairsInOtherWords(t *testing.T) {
	for _, c := range []struct{ name, content string }{
		{"p.csv", "id,question,a,b,label\n1,Q?,good,bad,a\n"},
		{"p.csv", "id,question,response_a,response_b,winner\n1,Q?,good,bad,A\n"},
		{"p.csv", "id,question,response_a,response_b,winner\n1,Q?,good,bad,response_a\n"},
		{"p.csv", "instruction;answer_1;answer_2;preference\nQ?;good;bad;1\n"},
		{"p.csv", "prompt,output_1,output_2,model_1,model_2,winner\nQ?,good,bad,gpt,llama,gpt\n"},
		{"p.jsonl", `{"instruction": "Q?", "output_1": "good", "output_2": "bad", "preference": 1.0}`},
		{"p.jsonl", `{"query": "Q?", "response_0": "good", "response_1": "bad", "label": 0}`},
		{"p.json", `{"data": [{"input": "Q?", "completion_a": "good", "completion_b": "bad", "choice": "left"}]}`},
		{"p.jsonl", `{"prompt": [{"role": "user", "content": "Q?"}], "Response A": "good", "Response B": "bad", "verdict": "Model A"}`},
		{"p.csv", "question,annotator,response_a,response_b,choice\nQ?,anna,good,bad,a\nQ?,ben,good,bad,A\nQ?,chris,bad,good,b\n"},
		{"p.jsonl", `{"question": "Q?", "chosen": "good", "rejected": "bad"}`},
		{"p.csv", "question,chosen,rejected\nQ?,good,bad\n"},
		{"p.csv", "query,preferred,dispreferred\nQ?,good,bad\n"},
		{"p.jsonl", `{"context": [{"role": "user", "content": "Q?"}], "response1": "good", "response2": "bad", "overall_preference": -2, "individual_preference": [{"score": -1}]}`},
		{"p.jsonl", `{"id": 1, "model_a": "x", "model_b": "y", "prompt": "[\"Q?\"]", "response_a": "[\"good\"]", "response_b": "[\"bad\"]", "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}`},
	} {
		set, err := ReadPairs(written(t, map[string]string{c.name: c.content})+"/"+c.name, "", Options{})
		if err != nil || len(set.Pairs) != 1 {
			t.Errorf("%.60s: %+v, %v", c.content, set.Pairs, err)
			continue
		}
		p := set.Pairs[0]
		better := map[data.Choice]string{data.ChoiceA: p.A, data.ChoiceB: p.B}[p.Label]
		if p.Question != "Q?" || better != "good" || p.A == p.B {
			t.Errorf("%.60s: %+v", c.content, p)
		}
	}
}

// TestChoicesInOtherWords checks which words are choices, and that the error of a file without columns of pairs lists its columns once.
func TestChoicesInOtherWords(t *testing.T) {
	for word, want := range map[string]data.Choice{"A": "a", "model_b": "b", "Both bad": "tie", "tie (bothbad)": "tie", "both_bad": "tie", "Tie": "tie",
		"left": "a", "2": "b", "gpt": "a", "llama": "b", "n/a": data.NoChoice, "": data.NoChoice} {
		content := "question,response_a,response_b,model_a,model_b,winner\nQ?,x,y,gpt,llama," + word + "\n"
		set, err := ReadPairs(written(t, map[string]string{"p.csv": content})+"/p.csv", "", Options{})
		if err != nil || set.Pairs[0].Label != want {
			t.Errorf("%q: %+v, %v, want %s", word, set.Pairs, err, want)
		}
	}
	for content, want := range map[string]string{
		"question,response_a,response_b,winner\nQ?,x,y,maybe\n": `p.csv:2: winner is "maybe"; it must be a word`,
		"id,text\n1,x\n2,y\n": "p.csv:2: a pair needs a question and two answers",
		"id\n":                "has no pairs",
	} {
		_, err := ReadPairs(written(t, map[string]string{"p.csv": content})+"/p.csv", "", Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

// TestCandidates checks that several candidates for a question make pairs of one item and one cluster, in a plain table and in
// RewardBench's format. Candidates are not joined to one text, and messages of a conversation are not candidates.
func TestCandidates(t *testing.T) {
	for name, content := range map[string]string{
		"own.jsonl":    `{"question": "Q?", "chosen": "good", "rejected": ["bad", "worse", "worst"]}`,
		"two.jsonl":    `{"prompt": "Q?", "chosen": ["good"], "rejected": ["bad", "worse", "worst"], "subset": "s"}`,
		"bench2.jsonl": `{"id": "7", "prompt": "Q?", "chosen": ["good"], "rejected": ["bad", "worse", "worst"], "total_completions": 4, "subset": "s"}`,
	} {
		set, err := ReadPairs(written(t, map[string]string{name: content + "\n"})+"/"+name, "", Options{})
		if err != nil || len(set.Pairs) != 3 {
			t.Errorf("%s: %d pairs, %v", name, len(set.Pairs), err)
			continue
		}
		for i, p := range set.Pairs {
			better := p.A
			worse := p.B
			if p.Label == data.ChoiceB {
				better = p.B
				worse = p.A
			}
			if better != "good" || worse != []string{"bad", "worse", "worst"}[i] || p.Item == "" || p.Item != set.Pairs[0].Item ||
				p.Cluster != "q?" || !strings.HasSuffix(p.ID, fmt.Sprintf(":1-%d", i+1)) {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	talk := `{"question": "Q?", "chosen": [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "good"}], ` +
		`"rejected": [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "bad"}]}`
	set, err := ReadPairs(written(t, map[string]string{"talk.jsonl": talk + "\n"})+"/talk.jsonl", "", Options{})
	if err != nil || len(set.Pairs) != 1 || set.Pairs[0].Item != "" {
		t.Errorf("a conversation: %+v, %v", set.Pairs, err)
	}
}

// TestCasesOfPairs checks the files of shared/cases/pairs against their README.md.
func TestCasesOfPairs(t *testing.T) {
	for _, c := range []struct {
		file              string
		pairs             int
		source            string
		a, b, tie, people int // number of each label (-1: at least one), and of people's preferences
		none              int // pairs without a label, since the winner "weird" is not a choice
	}{
		{"qcr.jsonl", 12, "", -1, -1, 0, 0, 0},
		{"vjudge.csv", 300, "", -1, -1, -1, 0, 0},
		{"pcr_same.jsonl", 6, "(6 pairs of identical answers left out)", -1, -1, 0, 0, 0},
		{"rewardbench2_best_of_four.jsonl", 36, "", -1, -1, 0, 0, 0},
		{"arena33k.jsonl", 12, "votes of 12 people, read together as human", -1, -1, -1, 12, 0},
		{"arena55k.jsonl", 12, "", 4, 4, 4, 0, 0},
		{"helpsteer3.jsonl", 12, "", -1, -1, -1, 0, 0},
		{"mtbench_both_bad.jsonl", 24, "", -1, -1, -1, 24, 6},
		{"ten_annotators_per_pair.jsonl", 600, "", -1, -1, -1, 0, 0},
	} {
		set, err := ReadPairs(sharedtest.Path(t, "cases", "pairs", c.file), "", Options{})
		counts := map[data.Choice]int{}
		clusters := map[string]bool{}
		for _, p := range set.Pairs {
			counts[p.Label]++
			clusters[p.Cluster] = true
		}
		n := 0
		for _, g := range set.Given {
			if data.IsHuman(g.Judge) {
				n++
			}
		}
		if c.file == "rewardbench2_best_of_four.jsonl" && len(clusters) != 12 {
			t.Errorf("%s: %d clusters, want one for each question", c.file, len(clusters))
		}
		if err != nil || len(set.Pairs) != c.pairs || !strings.Contains(set.Source, c.source) || n != c.people || counts[data.NoChoice] != c.none {
			t.Errorf("%s: %d pairs in %d clusters, labels %v, %d of people; %s, %v", c.file, len(set.Pairs), len(clusters), counts, n, set.Source, err)
		}
		for choice, want := range map[data.Choice]int{data.ChoiceA: c.a, data.ChoiceB: c.b, data.ChoiceTie: c.tie} {
			if want >= 0 && counts[choice] != want {
				t.Errorf("%s: %d labels are %s, want %d", c.file, counts[choice], choice, want)
			}
		}
	}
}

// FuzzPairs checks that no subset of the columns of pairs, and no value in them, makes a reader panic.
func FuzzPairs(f *testing.F) {
	columns := []string{"id", "question", "a", "b", "response_a", "response_b", "chosen", "rejected", "winner", "label", "annotator", "judge",
		"model_a", "model_b", "conversation_a", "conversation_b", "question_id", "winner_model_a", "context", "response1", "response2", "overall_preference"}
	for i := range columns {
		f.Add(uint32(1<<i|1<<(i+1)%22|3), "x", "tie")
	}
	f.Add(uint32(0x3fffff), "[1]", `{"content": 1}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, subset uint32, first, second string) {
		var head, row, list []string
		for i, column := range columns {
			if subset>>i&1 == 0 {
				continue
			}
			value := []string{first, second}[(i+int(subset>>22))%2]
			head = append(head, column)
			row = append(row, `"`+strings.ReplaceAll(value, `"`, `""`)+`"`)
			list = append(list, fmt.Sprintf("%q: %s", column, jsonOr(value)))
		}
		for name, content := range map[string]string{"p.csv": strings.Join(head, ",") + "\n" + strings.Join(row, ",") + "\n",
			"p.jsonl": "{" + strings.Join(list, ", ") + "}\n"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, people := range []bool{false, true} {
				if _, err := ReadPairs(path, "", Options{}); err != nil && err.Error() == "" {
					t.Error("an error without a text")
				}
				Read(path, Options{People: people})
			}
		}
	})
}

// jsonOr returns a text that is JSON unchanged, and any other text as a JSON string.
func jsonOr(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	plain, _ := json.Marshal(text)
	return string(plain)
}

// TestPairsWithMap checks that a user's map assigns columns of pairs and preferences whose names say nothing, and that codes for missing
// choices do not count.
func TestPairsWithMap(t *testing.T) {
	dir := written(t, map[string]string{
		"p.csv": "Nr,Frage,Text links,Text rechts,Sieger,Wer\n1,Q?,good,bad,links,ann\n1,Q?,good,bad,99,ben\n2,R?,x,y,rechts,ann\n",
		"v.csv": "Paar,Wer,Sieger\n1,ann,links\n2,ann,99\n1,ann,rechts\n"})
	o := Options{Alone: true, Map: map[string]string{"item": "Nr", "question": "Frage", "a": "Text links", "b": "Text rechts", "value": "Sieger",
		"rater": "Wer"}, Missing: []string{"99"}}
	set, err := ReadPairs(dir+"/p.csv", "", o)
	if err != nil || len(set.Pairs) != 2 || len(set.Given) != 2 || set.Pairs[0].Label != data.ChoiceA || set.Pairs[1].Label != data.ChoiceB {
		t.Errorf("%+v, %v", set, err)
	}
	o = Options{Map: map[string]string{"item": "Paar", "rater": "Wer", "value": "Sieger"}, Missing: []string{"99"}, Repeats: RepeatsFirst}
	given, _, note, err := ReadPreferences(dir+"/v.csv", func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }, o)
	if err != nil || len(given) != 1 || given[0].Judge != "human:ann" || given[0].Choice != "a" ||
		!strings.Contains(note, "1 row without a choice; left out: 1 repeated choice") {
		t.Errorf("%+v, %s, %v", given, note, err)
	}
	o.Map = map[string]string{"item": "Paare"}
	if _, _, _, err := ReadPreferences(dir+"/v.csv", func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }, o); err == nil ||
		!strings.Contains(err.Error(), `--map item=Paare: there is no column "Paare"; did you mean "Paar"?`) {
		t.Error(err)
	}
}
