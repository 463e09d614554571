package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBounds: a configuration is refused, with file and line, before anything is asked, if it has numbers out of range, secrets, or options
// that the program sets itself.
func TestBounds(t *testing.T) {
	t.Setenv("A_SECRET", "some secret value")
	for _, c := range []struct{ provider, model, judge, more, want string }{
		{"", "", "", "", ""},
		{", headers: {X-Title: mine, Cookie: \"${A_SECRET}\", X-Auth: \"Bearer ${A_SECRET}\"}, max_reply: 512KiB", ", choices: 3", ", repeats: 2, sample: 200", "", ""},
		{", organisation: org-7, max_tokens_field: max_tokens", "", "", "", ""},
		{", max_tokens_field: tokens", "", "", "", `max_tokens_field is "tokens"; it must be auto, max_tokens or max_completion_tokens`},
		{", pull: true", "", "", "", `:2: provider "p": pull and keep_alive are for type ollama`},
		{", concurrency: -1", "", "", "", `:2: provider "p": concurrency is -1; it cannot be negative`},
		{", concurrency: 1000000000", "", "", "", `:2: provider "p": concurrency is 1000000000; at most 10000 is possible`},
		{", rpm: -5", "", "", "", `:2: provider "p": rpm is -5`},
		{", tpm: -5", "", "", "", `:2: provider "p": tpm is -5`},
		{", timeout: -5s", "", "", "", `:2: provider "p": timeout is -5`},
		{", backoff: -1ms", "", "", "", `:2: provider "p": backoff is -0.001`},
		{", max_wait: -1m", "", "", "", `:2: provider "p": max_wait is -60`},
		{", budget: .nan", "", "", "", `:2: provider "p": budget is NaN`},
		{", max_reply: 1 foot", "", "", "", `max_reply is "1 foot"; it must be a size`},
		{", max_reply: 0", "", "", "", `max_reply is "0"; it must be a size`},
		{", headers: {Cookie: session=1}", "", "", "", ":2: provider p: misconfigured: the value of header Cookie may be a secret"},
		{", headers: {X-Password: hunter2}", "", "", "", "the value of header X-Password may be a secret"},
		{"", ", choices: 1000000000", "", "", `:4: model "m": choices is 1000000000; at most 1000 is possible`},
		{"", ", choices: -1", "", "", `:4: model "m": choices is -1`},
		{"", ", options: {n: 5}", "", "", `:4: model "m": options and extra cannot set n`},
		{"", ", extra: {stream: true}", "", "", `:4: model "m": options and extra cannot set stream`},
		{"", "", ", repeats: 1000000000", "", `:6: judge "j": repeats is 1000000000; at most 1000 is possible`},
		{"", "", ", sample: -1", "", `:6: judge "j": sample is -1`},
		{"", "", ", sample: 1000000000", "", `:6: judge "j": sample is 1000000000`},
		{"", "", "", "run: {concurrency: 1000000000}", `:7: run.concurrency is 1000000000; at most 10000 is possible`},
		{"", "", "", "run: {budget: -1}", `:7: run.budget is -1`},
		{"", "", "", "pairwise: [{method: sc2, provider: p, model: x, draws: 1000000000}]", `:7: pairwise judge "sc2": draws is 1000000000`},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		text := fmt.Sprintf("providers:\n  p: {type: openai, base_url: \"http://127.0.0.1:1/v1\"%s}\nmodels:\n  - {name: m, provider: p, model: x%s}\njudges:\n  - {name: j, provider: p, model: x%s}\n%s\n", c.provider, c.model, c.judge, c.more)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s%s%s%s: %v, want %q", c.provider, c.model, c.judge, c.more, err, c.want)
		}
	}
}
