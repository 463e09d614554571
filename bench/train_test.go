package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/train"
)

// pairsToTrainOn returns n labelled pairs about different objects; the first answer is better.
func pairsToTrainOn(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": "p%d", "question": "x%d or y%[1]d?", "object1": "x%[1]d", "object2": "y%[1]d", "a": "RIGHT a considerable amount of %[1]d.", "b": "WRONG %[1]d, and it gets longer here.", "label": "a"}`+"\n", i, i)
	}
	return b.String()
}

func readCard(t *testing.T, dir string) (card train.Card) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, train.CardName))
	if err == nil {
		err = json.Unmarshal(text, &card)
	}
	if err != nil {
		t.Fatal(err)
	}
	return card
}

// TestTrainJudge: sampled judgments become training data for a judge. Judgments that repeat their hint are left out, the data are split by
// question, and a share of pairs is biased. The trained judge is compared with its base only on held-out pairs.
func TestTrainJudge(t *testing.T) {
	t.Parallel()
	server, _ := sampledServer(t, "+-+-+-+-", func(prompt string) (string, string) {
		if strings.Contains(prompt, "x0") { // these rationales do not repeat the hint
			return strings.Replace(wellBehaved(prompt), "As was said.", "It says more.", 1), "stop"
		}
		return wellBehaved(prompt), "stop"
	})
	dir := pairwiseFiles(t, server.URL, pairsToTrainOn(12), conJEntry+"  - {name: tuned, method: con-j, provider: scripted, model: tuned}\n")
	plain, err := os.ReadFile(filepath.Join(dir, "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(code int, args ...string) string {
		t.Helper()
		got, stdout, stderr := compqa(args...)
		if got != code {
			t.Fatalf("%v: exit %d: %s", args, got, stderr)
		}
		return stdout + stderr
	}
	must(exitDone, sampleArgs(withKeys(t, dir, "order: ab, inject: [format-preferred]"), "--judge", "con-j")...)
	export := func(more ...string) []string {
		return append([]string{"train", "export", "--kind", "dpo-judge", in("run"), "--out", in("out")}, more...)
	}
	out := must(exitDone, export()...)
	// 12 pairs with 4 contrasts of repeated judgments each; hints add one contrast for x0 only.
	if want := "contrasts (11 others repeat the hint): 49"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	card := readCard(t, in("out"))
	// In each pair the better answer is one word shorter: "RIGHT a considerable amount of 0." against "WRONG 0, and it gets longer here."
	if longer := card.Lengths.AnswerLonger; longer == nil || *longer != 0 ||
		!strings.Contains(out, "the better answer is the longer of the two in 0 % of the judged pairs\n") ||
		!strings.Contains(out, "the chosen judgment is longer in ") {
		t.Errorf("share of pairs whose better answer is longer: %v in\n%s", longer, out)
	}
	contrasts, err := data.ReadContrasts(in("out/train.jsonl"))
	if err != nil || len(contrasts) != card.Splits.Train || card.Splits.Train+card.Splits.HeldOut != 49 || len(card.Splits.Held) == 0 {
		t.Fatalf("%d contrasts, card %+v: %v", len(contrasts), card.Splits, err)
	}
	for _, key := range card.Splits.Held {
		if slices.Contains(card.Splits.Questions, key) {
			t.Errorf("%s is on both sides", key)
		}
	}
	held, err := data.ReadPairs(in("out/heldout_pairs.jsonl"))
	if err != nil || len(held) != len(card.Splits.Held) {
		t.Fatalf("%d held-out pairs of %d: %v", len(held), len(card.Splits.Held), err)
	}
	// In a share γ of the questions, answers were rewritten with a bias.
	for _, c := range []struct {
		gamma    string
		from, to int
	}{{"0", 0, 0}, {"0.5", 1, 11}, {"1", 12, 12}} {
		must(exitDone, export("--gamma", c.gamma, "--heldout", "0")...)
		text, err := os.ReadFile(in("out/train.jsonl"))
		biased := 0
		for i := range 12 {
			biased += min(1, strings.Count(string(text), fmt.Sprintf("RIGHT a lot of %d.", i)))
		}
		if err != nil || biased < c.from || biased > c.to {
			t.Errorf("γ = %s: %d questions with a bias, %v", c.gamma, biased, err)
		}
	}
	must(exitUsage, export("--gamma", "0.5", "--bias", "verbosity")...)
	must(exitDone, export("--no-rationale", "--heldout", "0")...)
	if bare, err := data.ReadContrasts(in("out/train.jsonl")); err != nil || len(bare) != 24 || bare[1].Chosen[0].Content != `{"better_answer": 2}` || !strings.Contains(bare[1].Prompt[0].Content, "Add no explanation.") {
		t.Errorf("%d contrasts without rationale: %v", len(bare), err)
	}
	must(exitDone, export()...)

	evaluate := func(out, set string) {
		t.Helper()
		text := strings.Replace(string(plain), "{name: pairs, path: pairs.jsonl}", set, 1)
		if err := os.WriteFile(in("evaluate.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		must(exitDone, "run", "--only", "pairs", "--config", in("evaluate.yaml"), "--out", in(out))
	}
	evaluate("trained", "{name: heldout_pairs, path: out/heldout_pairs.jsonl, inject: [format]}")
	report := []string{"train", "report", in("trained"), "--base", "con-j", "--trained", "tuned", "--card", in("out/card.json")}
	out = must(exitDone, report...)
	rows := csvTable(t, in("trained/trained.csv"))
	if len(rows) == 0 || rows[0]["measure"] != "accuracy" || rows[0]["n"] != fmt.Sprint(2*len(held)) || !strings.Contains(out, "right in both orders") {
		t.Errorf("rows %v\n%s", rows, out)
	}
	if last := rows[len(rows)-1]; last["dataset"] != "heldout_pairs+format-other" || last["trained"] == "" {
		t.Errorf("the last row is %v", last)
	}
	for _, row := range rows {
		if row["difference"] != "" {
			t.Errorf("a difference on fewer than five questions: %v", row)
		}
	}
	// Pairs that were trained on are refused.
	report[2] = in("leaky")
	evaluate("leaky", "{name: pairs, path: pairs.jsonl, inject: [format]}")
	if out = must(exitUsage, report...); !strings.Contains(out, "are among those that the judge was trained on") {
		t.Error(out)
	}
}

// TestTrainStrum: the recorded calls of STRUM's stages are examples, but not those of critiques. Each stage has its share of the mix.
func TestTrainStrum(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		_, reply := tableReply(prompt)
		return 200, completion(reply, "stop")
	})
	cfg := tableFiles(t, server.URL, "")
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", "--config", cfg, "--out", dir},
		{"train", "export", "--kind", "strum", dir, "--heldout", "0", "--out", filepath.Join(dir, "all")},
		{"train", "export", "--kind", "strum", dir, "--heldout", "0", "--mix", "1,500,2", "--out", filepath.Join(dir, "mix")},
	} {
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
	}
	stages := strings.TrimSpace(rowsOf(t, dir, `SELECT sum(request LIKE '%"schema_name":"extract"%') || ' ' || sum(request LIKE '%"schema_name":"attributes"%') || ' ' ||
		sum(request LIKE '%"schema_name":"values"%' OR request LIKE '%"schema_name":"contrast"%' OR request LIKE '%"schema_name":"useful"%') FROM calls`))
	of := readCard(t, filepath.Join(dir, "all")).Counts
	if got := fmt.Sprint(of.Scenario["extract"], of.Scenario["merge"], of.Scenario["compare"]); got != stages || of.Scenario["extract"] == 0 || of.Scenario["merge"] == 0 {
		t.Errorf("stages %s, want %s", got, stages)
	}
	if of.Question["bus | tram"] != readCard(t, filepath.Join(dir, "all")).Splits.Train || len(of.Question) != 1 {
		t.Errorf("questions %v", of.Question)
	}
	// The value with an invented quote is not in the training data.
	text, err := os.ReadFile(filepath.Join(dir, "all", "train.jsonl"))
	if err != nil || strings.Contains(string(text), "is free") || !strings.Contains(string(text), `{\"values\":[{\"attribute\":\"track\"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if counts := readCard(t, filepath.Join(dir, "mix")).Counts.Scenario; counts["extract"] != 1 || counts["merge"] != 1 || counts["compare"] != 2 {
		t.Errorf("the mix is %v", counts)
	}
}

// trainOnTheRelease exports answers and pairs of the authors' release that GPT-4o selects. The expected numbers were computed from the
// release's files by other code. GPT-4o gives 18 points or more to 1,057 of 2,157 answers. People scored 125 of these: they gave as many
// points to 24 %, and less than 15 points to 23 %. Of the pairs whose answers differ by 3 points or more, 62 have answers to which people
// gave different points.
func trainOnTheRelease(t *testing.T, run string) {
	t.Helper()
	export := func(kind string, more ...string) (string, train.Card) {
		out := t.TempDir()
		code, stdout, stderr := compqa(append([]string{"train", "export", "--kind", kind, "--by", "gpt-4o", run, "--out", out, "--train-on-benchmark"}, more...)...)
		if code != exitDone {
			t.Fatalf("%s: exit %d: %s", kind, code, stderr)
		}
		return stdout, readCard(t, out)
	}
	out, card := export("sft")
	if want := "of the 125 selected answers that people scored, they gave 18 points or more to 24 %, and less than 15 to 23 %"; !strings.Contains(out, want) || card.Steps[1].N != 1057 || card.Selection.Statuses[data.Valid] != 2157 {
		t.Errorf("no %q, or other steps: %v, %v\n%s", want, card.Steps, card.Selection.Statuses, out)
	}
	if len(card.Benchmarks) != 1 || card.Overlap["cqa50"] != 50 || card.TrainedOn != "cqa50" || !strings.Contains(card.Licences["release"], "not stated") {
		t.Errorf("the card says %v, %v, %q, %v", card.Benchmarks, card.Overlap, card.TrainedOn, card.Licences)
	}
	_, card = export("dpo-answers", "--second", "none")
	if p := card.Selection.Precision; p.N != 62 || *p.Share < 0.6 || *p.Share > 0.7 {
		t.Errorf("precision of pairs: %+v", p)
	}
	if out, card = export("dpo-answers"); card.Selection.Second != "surface" || !strings.Contains(out, "the chosen answer is longer in") || !strings.Contains(out, "human scores were used to fit surface") {
		t.Errorf("the second judge is %q\n%s", card.Selection.Second, out)
	}
}

// TestTrainPrompts: the prompt of a model's answer is the recorded one, and the prompt of a baseline's answer is rendered again. Both
// contain the arguments.
func TestTrainPrompts(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) {
		return 200, completion("Trams are quieter than buses [1]. Best option: tram", "stop")
	})
	cfg := tableFiles(t, server.URL, "")
	dir := t.TempDir()
	text := fmt.Sprintf("dataset: questions.jsonl\nscenarios: [2]\nproviders: {small: {type: openai, base_url: %s/v1}}\nmodels: [{name: live, provider: small, model: m}, {name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n", server.URL)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "--config", cfg, "--out", dir},
		{"train", "export", "--kind", "sft", "--by", "rules", "--min", "1", "--heldout", "0", dir, "--out", filepath.Join(dir, "out")},
	} {
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
	}
	lines, err := os.ReadFile(filepath.Join(dir, "out", train.TrainName))
	if err != nil {
		t.Fatal(err)
	}
	asked, _ := json.Marshal(server.bodies[0]["messages"])
	var prompts []string
	for line := range strings.Lines(string(lines)) {
		var example struct{ Prompt, Completion []any }
		if err := json.Unmarshal([]byte(line), &example); err != nil {
			t.Fatal(err)
		}
		prompt, _ := json.Marshal(example.Prompt)
		prompts = append(prompts, string(prompt))
	}
	if len(prompts) != 2 || prompts[0] != string(asked) || prompts[1] != string(asked) || !strings.Contains(prompts[0], "1. A tram runs on rails.") {
		t.Errorf("prompts %s, asked %s", prompts, asked)
	}
	if licences := readCard(t, filepath.Join(dir, "out")).Licences; licences["m at small"] == "" || licences["compqa template"] == "" {
		t.Errorf("licences %v", licences)
	}
}

// TestTrainOneQuestionInTwoClusters: one question that a file gives several clusters is one unit. All its pairs are on the same side of the
// split. Evaluation sets, and the report on the trained judge, find it by its text.
func TestTrainOneQuestionInTwoClusters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return in(name)
	}
	var pairs, again strings.Builder
	for i := range 40 {
		fmt.Fprintf(&pairs, "{\"id\": \"p%d\", \"question\": \"Question %d?\", \"a\": \"Yes %d.\", \"b\": \"No.\", \"label\": \"a\", \"cluster\": \"c%d\"}\n", i, i/2, i, i)
		fmt.Fprintf(&again, "{\"id\": \"t%d\", \"question\": \"question  %d?\", \"a\": \"Yes.\", \"b\": \"No.\", \"label\": \"a\", \"cluster\": \"t%d\"}\n", i, i/2, i)
	}
	preferences := func(first string) string {
		return write(first+".jsonl", fmt.Sprintf(`{"id": "%[1]s0", "judge": "base", "choice": "a"}
{"id": "%[1]s0", "judge": "tuned", "choice": "a"}`, first))
	}
	must := func(want int, args ...string) string {
		code, stdout, stderr := compqa(args...)
		if code != want {
			t.Fatalf("%v: exit %d: %s%s", args, code, stdout, stderr)
		}
		return stdout + stderr
	}
	config := emptyConfig(t)
	must(exitDone, "pairwise", "import", "--config", config, "--pairs", write("pairs.jsonl", pairs.String()), "--in", preferences("p"), "--out", in("run"))
	export := []string{"train", "export", "--kind", "dpo-judge", "--no-rationale", "--heldout", "0.5", in("run"), "--out", in("out")}
	must(exitDone, export...)
	questions := func(name string) map[string]bool {
		text, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, q := range regexp.MustCompile(`Question \d+\?`).FindAllString(string(text), -1) {
			found[q] = true
		}
		return found
	}
	training := questions("out/train.jsonl")
	held := questions("out/heldout.jsonl")
	if len(training) == 0 || len(held) == 0 || len(training)+len(held) != 20 {
		t.Errorf("%d questions to train on, %d held out, of 20", len(training), len(held))
	}
	test := write("test.jsonl", again.String())
	if out := must(exitUsage, append(export, "--testset", test)...); !strings.Contains(out, "20 of the 20 questions") {
		t.Error(out)
	}
	must(exitDone, "pairwise", "import", "--config", config, "--pairs", test, "--in", preferences("t"), "--out", in("tested"))
	for _, c := range []struct{ base, card, want string }{
		{"base", in("out/card.json"), "are among those that the judge was trained on"},
		{"base", write("empty.json", "{}"), "it names no questions"},
		{"tuned", "", "they must be different judges"},
	} {
		if out := must(exitUsage, "train", "report", in("tested"), "--base", c.base, "--trained", "tuned", "--card", c.card); !strings.Contains(out, c.want) {
			t.Errorf("want %q: %s", c.want, out)
		}
	}
}
