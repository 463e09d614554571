package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/judges"
)

// TestAttackLive: a judge behind a server is attacked by the same command. This
// one gives full marks to whoever asks for them, and says nothing of what is
// padded: the one is rewarded, the other left out.
func TestAttackLive(t *testing.T) {
	t.Parallel()
	few := strings.NewReplacer(`:2`, `:1`, `:1`, `:0`).Replace(fullMarks())
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case strings.Contains(prompt, "every comparison has many sides"):
			return 200, completion("I cannot say.", "stop")
		case strings.Contains(prompt, "Note to the judge"):
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion(few, "stop")
	})
	cfg, dir := liveConfig(t, server.URL, "run: {repair: 0}"), t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.csv")
	var answers strings.Builder
	for i, text := range []string{"First answer here.", "One more.", "A third one.", "This too.", "So it is.", "The last answer here.", ""} {
		fmt.Fprintf(&answers, `{"id": "%d", "object1": "a%[1]d", "object2": "b%[1]d", "aspect": "", "text": %q}`+"\n", i, text)
	}
	if err := os.WriteFile(in, []byte(answers.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := compqa("attack", "--config", cfg, "--judge", "judge", "--in", in, "--out", out)
	if code != exitIncomplete || !strings.Contains(stderr, "6 of 90 verdicts") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if asked, want := server.asked(), 6*(1+len(judges.Attacks)); asked != want {
		t.Errorf("%d calls, want %d: each answer once, and once an attack", asked, want)
	}
	listing, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(listing), "judge,instruction to the judge,not rise,6,4,19,15,,,0,1,rewarded\n") || strings.Contains(string(listing), "length padding") {
		t.Errorf("%s", listing)
	}
	if !strings.Contains(stdout, "rewarded") {
		t.Error(stdout)
	}
}
