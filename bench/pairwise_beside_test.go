package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseBeside: sets that are imported one after the other are all kept, under the names of their files. An import that would replace
// pairs of another file is refused and changes nothing. If a second file of a judge removes earlier preferences, the output says so; --keep
// keeps them.
func TestPairwiseBeside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "votes")
	file := func(name, head, row string, n, from int) string {
		var text strings.Builder
		text.WriteString(head)
		for i := range n {
			text.WriteString(strings.NewReplacer("%[2]d", fmt.Sprint(i+from), "%[1]d", fmt.Sprint(i), "%d", fmt.Sprint(i)).Replace(row) + "\n")
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	do := func(want int, says string, args ...string) {
		t.Helper()
		code, stdout, stderr := compqa(append([]string{"pairwise", "import", "--out", out}, args...)...)
		if code != want || !strings.Contains(stdout+stderr, says) {
			t.Errorf("%v: exit %d, want %d and %q\n%s", args, code, want, says, stderr)
		}
	}
	pairs := func() string {
		return strings.TrimSpace(rowsOf(t, out, `SELECT dataset, count(*), sum(active) FROM pairs GROUP BY dataset`))
	}
	table := []string{"--config", emptyConfig(t), "--format", "table", "--in"}
	name := `{"id": "q%d", "question": "Q%[2]d?", "response_a": "long %[2]d", "response_b": "short %[2]d", "human_winner": "a", "judge_winner": "b"}`
	bare := strings.Replace(name, `"id": "q%d"`, `"left_out": %d`, 1)
	first := file("first.jsonl", "", name, 3, 0)
	other := file("other.jsonl", "", name, 3, 100)
	do(exitDone, "", append(table, first)...)
	do(exitDone, "", append(table, first)...)
	do(exitDone, "", append(table, file("bare.jsonl", "", bare, 3, 200))...)
	before := pairs()
	do(exitUsage, `has the pair "q0" in the set first, which this file has with other texts; import it into another folder`, append(table, other)...)
	do(exitUsage, `has the pair "q0" in the set first, which this file has, too`, append(table, first, "--set", "second")...)
	do(exitUsage, `with other texts; import it into another folder (--out DIR), or give the set another name (--set NAME)`,
		append(table, file("bare.jsonl", "", bare, 3, 300))...)
	if got := pairs(); got != before || strings.Count(before, "3") < 4 || !strings.Contains(before, "bare") {
		t.Errorf("%q, before %q", got, before)
	}
	do(exitDone, "", append(table, filepath.Join(dir, "bare.jsonl"), "--set", "more")...)
	choices := func() string {
		return strings.TrimSpace(rowsOf(t, out, `SELECT count(*) FROM preferences WHERE judge = 'gpt'`))
	}
	rows := "q%d,gpt,a,ab\nq%[1]d,gpt,a,ba"
	do(exitDone, "", "--in", file("all.csv", "id,judge,choice,order\n", rows, 3, 0))
	some := file("some.csv", "id,judge,choice,order\n", rows, 1, 0)
	do(exitDone, "Imported 6 preferences", "--in", some, "--keep", "gpt")
	if got := choices(); got != "6" {
		t.Errorf("%s choices are kept", got)
	}
	do(exitDone, "gpt on first: 4 preferences deleted or replaced", "--in", some)
	if got := choices(); got != "2" {
		t.Errorf("%s choices are left", got)
	}
	do(exitUsage, `no pair has the id "1"`, "--in", file("which.csv", "id,judge,choice,order\n", "1,gpt,a,ab", 1, 0))
}
