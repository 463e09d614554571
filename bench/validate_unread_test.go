package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUnreadByLogprobs: the confidence of a run's judge is the probability of the token with the points. The half with the highest
// confidence is right and may stand unread; a third of the other half is wrong. In a run without log-probabilities, repeats are votes.
func TestUnreadByLogprobs(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`item (\d+)x`)
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		n := 0
		if _, err := fmt.Sscan(number.FindStringSubmatch(prompt)[1], &n); err != nil {
			return 500, err.Error()
		}
		points := n / 2 % 2
		logprob := "-0.01"
		if n%2 == 1 {
			logprob = "-0.5"
			if n%3 == 0 {
				points = 1 - points
			}
		}
		body := completion(fmt.Sprintf(`{"good": %d}`, points), "stop")
		if !strings.Contains(prompt, "Is it good at all?") {
			return 200, body
		}
		tokens := fmt.Sprintf(`"logprobs":{"content":[{"token":"{\"good\":","logprob":0},{"token":" %d","logprob":%s},{"token":"}","logprob":0}]}`,
			points, logprob)
		return 200, strings.Replace(body, `"choices":[{`, `"choices":[{`+tokens+`,`, 1)
	})
	for _, c := range []struct{ text, judge, confidence, stands string }{
		{"Is it good at all?", ", extra: {logprobs: true}", "Confidence: the probability of the points of which the judge was least sure",
			"j may decide alone on 50 % of further items like these (confidence ≥ 0.99): "},
		{"Is it good?", ", repeats: 3", "Confidence: the share of up to 3 votes of the judge", ""},
	} {
		dir := t.TempDir()
		questions := "id,object1,object2,aspect,question\n"
		answers := ""
		people := "id,good\n"
		for i := range 200 {
			questions += fmt.Sprintf("q%d,a%[1]d,b%[1]d,,Which?\n", i)
			answers += fmt.Sprintf(`{"id": "x%d", "object1": "a%[1]d", "object2": "b%[1]d", "text": "item %[1]dx"}`+"\n", i)
			people += fmt.Sprintf("x%d,%d\n", i, i/2%2)
		}
		for name, text := range map[string]string{"questions.csv": questions, "mine.jsonl": answers, "people.csv": people,
			"rubric.yaml": "name: one\ncriteria:\n  - {id: good, name: good, text: '" + c.text + "', levels: [{points: 0, text: 'no'}, {points: 1, text: 'yes'}]}\n",
			"compqa.yaml": "dataset: questions.csv\nrubric: rubric.yaml\nscenarios: [1]\nproviders: {p: {type: openai, base_url: " + server.URL + "/v1}}\n" +
				"models: [{name: mine, provider: file, path: mine.jsonl}]\njudges: [{name: j, provider: p, model: m, imported: true" + c.judge + "}]\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run := filepath.Join(dir, "run")
		if code, stdout, stderr := compqa("run", "--config", filepath.Join(dir, "compqa.yaml"), "--out", run); code != exitDone && code != exitIncomplete {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
		code, stdout, stderr := compqa("validate", run, "--people", filepath.Join(dir, "people.csv"), "--unread", ".9", "--out", filepath.Join(dir, "out"))
		text := strings.Join(strings.Fields(stdout), " ")
		if code != exitDone || !strings.Contains(text, c.confidence) || !strings.Contains(text, c.stands) {
			t.Errorf("exit %d: %s%s", code, text, stderr)
		}
	}
}
