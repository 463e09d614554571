package sources

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

// written writes files into a new folder and returns the folder. Files whose names end in .gz are compressed.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			z.Write([]byte(text))
			z.Close()
		} else {
			f.WriteString(text)
		}
		f.Close()
	}
	return dir
}

// better returns the answers of a pair as "better > worse", by the pair's label.
func better(p data.Pair) string {
	if p.Label == data.ChoiceB {
		return p.B + " > " + p.A
	}
	return p.A + " > " + p.B
}

// A pairSet is a published set of pairs as files in a folder, with the pairs and preferences that are expected.
type pairSet struct {
	name  string
	files map[string]string
	pairs []string // as question | better > worse | label if it is not a or b
	given []string // as judge method order status choice
}

func pairSetCases() []pairSet {
	return []pairSet{
		{"reward-bench", map[string]string{"filtered.jsonl": `{"id": 7, "prompt": "Why?", "chosen": "Because.", "rejected": "", "chosen_model": "x", "rejected_model": "y", "subset": "alpacaeval-easy"}`},
			[]string{"Why? | Because. > "}, nil},
		{"hh-rlhf", map[string]string{"test.jsonl.gz": `{"chosen": "\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: Tea?\n\nAssistant: Yes, green.", "rejected": "\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: Tea?\n\nAssistant: Yes, no."}`},
			[]string{"Human: Hi\n\nAssistant: Hello.\n\nHuman: Tea? | Yes, green. > Yes, no."}, nil},
		{"con-j", map[string]string{"a.json": `[{"source": "s", "chosen": [{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": "Yes."}], "rejected": [{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": "No."}]}]`},
			[]string{"Tea? | Yes. > No."}, nil},
		{"reward-bench", map[string]string{"ids_of_subsets.jsonl": `{"id": 7, "prompt": "Why?", "chosen": "x", "rejected": "y", "subset": "s"}
{"id": 7, "prompt": "How?", "chosen": "x", "rejected": "y", "subset": "t"}`},
			[]string{"Why? | x > y", "How? | x > y"}, nil},
		{"hh-rlhf", map[string]string{"red-team-attempts/r.jsonl.gz": `[{"transcript": "\n\nHuman: Hi"}]`, "helpful-base/test.jsonl.gz": `{"chosen": "\n\nHuman: Hi\n\nAssistant: 1", "rejected": "\n\nHuman: Hello\n\nAssistant: 2"}
{"chosen": "\n\nHuman: Hi\n\nAssistant: 1", "rejected": "\n\nHuman: Hi\n\nAssistant:"}`},
			[]string{"Hi | 1 > "}, nil},
		{"judgebench", map[string]string{
			"data/d.jsonl": `{"pair_id": "p", "source": "mmlu", "question": "Q", "response_A": "one", "response_B": "two", "label": "B>A"}`,
			"outputs/dataset=x,judge_name=arena_hard,judge_model=m.jsonl": `{"pair_id": "p", "source": "mmlu", "question": "Q", "response_A": "one", "response_B": "two", "label": "B>A", "judge_name": "arena_hard", "judgments": [{"decision": "B>A"}, {"decision": "B>A"}]}
{"pair_id": "r", "question": "Q2", "response_A": "1", "response_B": "2", "label": "A>B", "judge_name": "arena_hard", "judgments": [null, {"decision": "A=B"}]}`},
			[]string{"Q | two > one", "Q2 | 1 > 2"},
			[]string{"m arena_hard ab valid b", "m arena_hard ba valid a", "m arena_hard ab unparsed ", "m arena_hard ba valid tie"}},
		{"mt-bench", map[string]string{"human.jsonl": strings.Join([]string{
			`{"question_id": 81, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": "expert_0", "turn": 1, "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A1"}, {"role": "user", "content": "Q2"}, {"role": "assistant", "content": "A2"}], "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B1"}, {"role": "user", "content": "Q2"}, {"role": "assistant", "content": "B2"}]}`,
			`{"question_id": 81, "model_a": "y", "model_b": "x", "winner": "model_b", "judge": "author_1", "turn": 1, "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B1"}], "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A1"}]}`,
			`{"question_id": 81, "model_a": "x", "model_b": "y", "winner": "tie", "judge": "gpt4_pair", "turn": 1, "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A1"}], "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B1"}]}`}, "\n")},
			[]string{"Q | A1 > B1"}, []string{"human:expert_0 annotation ab valid a", "human:author_1 annotation ab valid a", "gpt4_pair annotation ab valid tie"}},
		{"mt-bench", map[string]string{"gpt4_pair.jsonl": strings.Join([]string{
			`{"question_id": 81, "model_a": "x", "model_b": "y", "winner": "tie (inconsistent)", "judge": ["gpt-4", "pair-v2"], "turn": 1, "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A1"}], "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B1"}]}`,
			`{"question_id": 81, "model_a": "x", "model_b": "y", "winner": "error", "judge": ["gpt-3.5", "pair-v2"], "turn": 1, "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A1"}], "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B1"}]}`}, "\n")},
			[]string{"Q | A1 > B1 | none"}, []string{"gpt-4-pair-v2 annotation ab valid tie", "gpt-3.5-pair-v2 annotation ab unparsed "}},
		{"alpaca-eval", map[string]string{"a.json": `[{"instruction": "I", "output_1": "x", "output_2": "", "preference": 1, "annotator_index": 3},
{"instruction": "I", "output_1": "x", "output_2": "", "preference": 2, "annotator_index": 4.0},
{"instruction": "I", "output_1": "x", "output_2": "", "preference": 1.9, "annotator": "gpt", "generator_1": "g", "generator_2": "h"},
{"instruction": "J", "output_1": "x", "output_2": "y", "preference": null, "annotator": "gpt"},
{"instruction": "J", "output_1": "x", "output_2": "y", "preference": 0, "annotator": "other"}]`},
			[]string{"I | x >  | none", "J | x > y | none"},
			[]string{"human:3 alpaca-eval ab valid a", "human:4 alpaca-eval ab valid b", "gpt alpaca-eval ab valid b", "gpt alpaca-eval ab unparsed ", "other alpaca-eval ab valid tie"}},
		{"tldr", map[string]string{"batch3.json": `{"info": {"id": "1", "post": "Long.", "title": "T", "subreddit": "s"}, "summaries": [{"text": "x", "policy": "p"}, {"text": "y", "policy": "q"}], "choice": 1, "worker": "w"}
{"info": {"id": "1", "post": "Long.", "title": "T", "subreddit": "s"}, "summaries": [{"text": "y", "policy": "q"}, {"text": "x", "policy": "p"}], "choice": 0, "worker": "v"}`},
			[]string{"Summarise: T\n\nLong. | y > x"}, []string{"human:w annotation ab valid b", "human:v annotation ab valid b"}},
		{"trec-news", map[string]string{"qrels.txt": "1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n1 0 missing 4\n", "topics.jsonl": `{"num": 1, "query": "storms"}`,
			"docs.jsonl": `{"id": "d1", "text": "one"}
{"id": "d2", "text": "two"}
{"id": "d3", "text": "three"}`},
			[]string{"storms | three > two", "storms | one > two", "storms | one > three"}, nil},
		{"trec-news", map[string]string{"bqrels.exp4.txt": "1 0 d1 16\n1 0 d2 0\n1 0 d1 0\n1 0 d2 0\n", "topics.jsonl": `{"id": 1, "title": "storms"}`,
			"wapo.jsonl": `{"id": "d1", "title": "One", "contents": [{"type": "kicker", "content": "Opinions"}, null, {"subtype": "paragraph", "content": "Rain."}, {"subtype": "paragraph", "content": "Wind."}]}
{"id": "d2", "title": null, "contents": []}`},
			[]string{"storms | One\n\nRain.\n\nWind. > "}, nil},
		{"trec-news", map[string]string{"qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\td1\t4\n1\td2\t0\n", "queries.jsonl": `{"_id": "1", "text": "storms"}`,
			"corpus.jsonl": `{"_id": "d1", "title": "", "text": "one"}
{"_id": "d2", "title": "", "text": "two"}`},
			[]string{"storms | one > two"}, nil},
	}
}

// TestReadPairSets checks the pairs and preferences of each published set, and that the error of a wrong last line names it.
func TestReadPairSets(t *testing.T) {
	for _, c := range pairSetCases() {
		set, err := ReadPairs(written(t, c.files), c.name, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var pairs, given []string
		ids := map[string]bool{}
		for _, p := range set.Pairs {
			text := p.Question + " | " + better(p)
			if !p.Label.Decided() {
				text += " | " + string(p.Label)
			}
			if pairs = append(pairs, text); ids[p.ID] || p.ID == "" || p.Cluster == "" {
				t.Errorf("%s: id %q, cluster %q", c.name, p.ID, p.Cluster)
			}
			ids[p.ID] = true
		}
		for _, g := range set.Given {
			given = append(given, fmt.Sprint(g.Judge, " ", g.Method, " ", g.Order, " ", g.Status, " ", g.Choice))
			if !ids[g.ID] {
				t.Errorf("%s: a preference on %q", c.name, g.ID)
			}
		}
		if !slices.Equal(pairs, c.pairs) || !slices.Equal(given, c.given) {
			t.Errorf("%s: %q\n%q", c.name, pairs, given)
		}
		for name, text := range c.files { // an error in the last line names file and line
			if strings.HasSuffix(name, ".jsonl") && !strings.HasPrefix(name, "topics") && !strings.HasPrefix(name, "queries") {
				files := map[string]string{name: strings.TrimRight(text, "\n") + "\n{\"question_id\": []}\n"}
				for other, text := range c.files {
					if other != name {
						files[other] = text
					}
				}
				want := fmt.Sprintf("%s:%d: ", filepath.Base(name), strings.Count(strings.TrimRight(text, "\n"), "\n")+2)
				if _, err := ReadPairs(written(t, files), c.name, Options{}); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v; want %s", c.name, err, want)
				}
			}
		}
	}
	again := strings.Repeat(`{"info": {"post": "Long."}, "summaries": [{"text": "x"}, {"text": "y"}], "choice": 1, "worker": "w"}`+"\n", 2)
	if set, err := ReadPairs(written(t, map[string]string{"b.json": again}), "", Options{}); err != nil || len(set.Given) != 1 || !strings.Contains(set.Source, "(1 preference of a judge on the same pair again left out)") {
		t.Errorf("a worker's second choice: %d, %q, %v", len(set.Given), set.Source, err)
	}
	if _, err := ReadPairs(written(t, map[string]string{"a.jsonl": `{"chosen": "x", "rejected": "y"}`}), "hh-rlhf", Options{}); err == nil {
		t.Error("texts without a prompt were read")
	}
	if _, err := ReadPairs(t.TempDir(), "mt-bench", Options{}); err == nil || !strings.Contains(err.Error(), "parquet") {
		t.Errorf("an empty folder: %v", err)
	}
}

// modelVote returns a vote between two models, of which gpt has the answer GOOD and ant the answer BAD.
func modelVote(a, b, winner, judge string) string {
	text := map[string]string{"gpt": "GOOD", "ant": "BAD"}
	turns := func(model string) string {
		return `[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "` + text[model] + `"}]`
	}
	return fmt.Sprintf(`{"question_id": 1, "turn": 1, "model_a": %q, "model_b": %q, "winner": %s, "judge": %q, "conversation_a": %s, `+
		`"conversation_b": %s}`+"\n", a, b, winner, judge, turns(a), turns(b))
}

// TestVotesOfModels checks that each spelling of a winner gives the same answer, whichever model comes first. A number that names no side
// is an error; unreadable words are counted.
func TestVotesOfModels(t *testing.T) {
	read := func(text string) (data.PreferenceSet, error) {
		return ReadPairs(written(t, map[string]string{"v.jsonl": text}), "", Options{})
	}
	for _, words := range [][2]string{{"model_a", "model_b"}, {"Model A", "Model B"}, {"A", "B"}, {"left", "right"}, {"Model_A", "Model_B"},
		{"Response 1", "Response 2"}, {"[[A]]", "[[B]]"}, {"gpt", ""}} {
		for i, order := range [][2]string{{"gpt", "ant"}, {"ant", "gpt"}} {
			word := words[i]
			if words[1] == "" {
				word = words[0]
			}
			for _, judge := range []string{"expert_0", "a-model"} {
				set, err := read(modelVote(order[0], order[1], fmt.Sprintf("%q", word), judge))
				if err != nil || len(set.Given) != 1 {
					t.Errorf("%s of %v: %d choices, %v", word, order, len(set.Given), err)
					continue
				}
				better := map[string]string{"a": set.Pairs[0].A, "b": set.Pairs[0].B}[set.Given[0].Choice]
				if better != "GOOD" {
					t.Errorf("%s of %v by %s is %q", word, order, judge, better)
				}
			}
		}
	}
	for _, judge := range []string{"expert_1", "a-model"} {
		for _, number := range []string{"0", "2"} {
			_, err := read(modelVote("gpt", "ant", `"A"`, "expert_0") + modelVote("gpt", "ant", number, judge))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("v.jsonl:2: winner is %q", number)) {
				t.Errorf("%s by %s: %v", number, judge, err)
			}
		}
		set, err := read(modelVote("gpt", "ant", `"A"`, "expert_0") + modelVote("gpt", "ant", `"banana"`, judge))
		if err != nil || !strings.Contains(set.Source, "(1 choice not read: banana (line 2))") {
			t.Errorf("banana by %s: %s, %v", judge, set.Source, err)
		}
	}
	set, err := read(modelVote("gpt", "ant", `"A"`, "expert_0") + modelVote("gpt", "ant", "null", "expert_1"))
	if err != nil || !strings.Contains(set.Source, "(1 row without a choice left out)") {
		t.Errorf("no choice: %s, %v", set.Source, err)
	}
	if _, err := read(modelVote("B", "A", `"A"`, "expert_0")); err == nil || !strings.Contains(err.Error(), "the name of the other side") {
		t.Errorf("a model with the name of the other side: %v", err)
	}
}
