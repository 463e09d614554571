package bench

import (
	"slices"
	"strings"
	"testing"
)

// askedOfTheManual maps what people search for to pages that answer it. One of these pages must be among the first four results.
var askedOfTheManual = map[string]string{
	"add a criterion": "files", "1-10": "files", "scale 1 to 10": "files", "own rubric": "files", "raw reply": "files runs verification",
	"privacy": "privacy", "send data": "privacy", "telemetry": "privacy", "what is sent where": "privacy", "which hosts": "privacy",
	"own questions": "files annotation", "import compqa": "python", "python": "python", "pandas": "python verification", "dark": "board",
	"add a model": "providers configuration", "add a judge": "howto-judge", "ollama": "providers", "api key": "providers privacy",
	"exit codes": "howto-ci commands questions", "exit code 3": "questions", "gate": "howto-ci", "budget": "costs",
	"how much does a run cost": "costs", "no rank": "questions tables", "empty cell": "questions", "resume": "runs questions",
	"ctrl-c": "questions runs", "retry failed": "questions runs", "unparsed": "questions judges", "krippendorff": "statistics glossary",
	"kappa": "validate statistics glossary", "spearman": "statistics glossary", "confidence interval": "statistics glossary", "how many labels": "validate",
	"drift": "validate", "excel": "howto-excel", "spreadsheet": "howto-excel files", "promptfoo": "howto-promptfoo", "inspect_ai": "validate verification",
	"prolific": "annotation annotation", "exclude an annotator": "annotation", "guidelines": "annotation", "publish": "verification",
	"hugging face": "verification files", "verify": "verification", "forged": "verification", "pairs": "pairwise", "length bias": "pairwise",
	"position bias": "pairwise", "train a judge": "howto-train", "dpo": "howto-train", "batch": "providers costs", "several machines": "fleet",
	"postgresql": "fleet", "opentelemetry": "runs privacy", "json schema": "providers configuration questions", "reasoning tokens": "providers costs",
	"self-agreement": "judges statistics configuration tables", "compare two prompts": "howto-prompts", "two runs": "howto-ci howto-prompts tables",
	"paper": "howto-paper", "reproduce": "howto-paper", "languages": "limits judges", "sample 40": "configuration", "contrastive table": "strum",
	"mcp": "python", "assistant": "python", "existing answers in one file": "configuration", "data frames": "python",
	"worst disagreements": "validate", "people disagree": "annotation validate glossary",
}

// TestManualAnswersQuestions: each search of askedOfTheManual finds a page that answers it.
func TestManualAnswersQuestions(t *testing.T) {
	if len(askedOfTheManual) < 60 {
		t.Errorf("%d questions", len(askedOfTheManual))
	}
	const first = 4
	for question, pages := range askedOfTheManual {
		code, stdout, stderr := compqa(append([]string{"docs"}, strings.Fields(question)...)...)
		if slices.Contains(strings.Fields(pages), question) { // docs prints the page itself
			if code != exitDone || !strings.HasPrefix(stdout, "# ") {
				t.Errorf("%q: exit %d, %s", question, code, stderr)
			}
			continue
		}
		var found []string
		for line := range strings.Lines(stdout) {
			if topic, _, part := strings.Cut(line, ": "); part && !strings.HasPrefix(line, " ") {
				found = append(found, topic)
			}
		}
		found = found[:min(first, len(found))]
		if !slices.ContainsFunc(strings.Fields(pages), func(page string) bool { return slices.Contains(found, page) }) {
			t.Errorf("%q finds %v, want %s", question, found, pages)
		}
	}
}
