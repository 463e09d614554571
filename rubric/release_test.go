package rubric

import (
	"os"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestReadRelease checks that the authors' README has the criteria and points of the built-in rubric in other words. For any other text,
// the error must say what is wrong.
func TestReadRelease(t *testing.T) {
	path := sharedtest.Path(t, "data", "cqa-release", "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, prompt, err := ReadRelease(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range CQA().Criteria {
		if own := r.Criteria[i]; own.ID != c.ID || own.Max() != c.Max() || len(own.Levels) != len(c.Levels) || own.Group != c.Group || own.Text == c.Text {
			t.Errorf("criterion %s: %+v", c.ID, own)
		}
	}
	if !strings.Contains(prompt, "Scoring 1:") || strings.Contains(prompt, "```") {
		t.Errorf("the prompt:\n%s", prompt)
	}
	for want, wrong := range map[string]string{
		"no section":               "# Another README\n```\ntext\n```\n",
		"no criteria":              "## Full Evaluation Prompt\n```\ntext\n```\n",
		"not one of the paper":     strings.Replace(string(text), "    15. ", "    16. ", 1),
		"18 points":                strings.Replace(string(text), "- 2 points", "- 1.5", 1),
		"must have {object1} once": strings.Replace(string(text), "{object2}", "{object1}", 1),
	} {
		if _, _, err := ReadRelease("R", wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
