package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/llm"
)

// TestTrust: a configuration of somebody else decides which environment variables go to which hosts. The user must confirm each pair of
// variable and host once, on a terminal or with --trust.
func TestTrust(t *testing.T) {
	asks := func(variable, address string, headers map[string]string) *config.Config {
		return &config.Config{File: "compqa.yaml", Providers: map[string]llm.Provider{"p": {Type: llm.TypeOpenAI, BaseURL: address, APIKeyEnv: variable, Headers: headers}}}
	}
	const host = "https://models.example/v1"
	environment := func(string) string { return "secret" }
	no := func(string) bool { return false }
	yes := func(string) bool { return true }
	for _, test := range []struct {
		name    string
		c       *config.Config
		ask     func(string) bool
		given   bool
		getenv  func(string) string
		refused string
	}{
		{"no terminal", asks("MY_KEY", host, nil), nil, false, environment, "$MY_KEY was not sent to models.example before"},
		{"--trust", asks("MY_KEY", host, nil), nil, true, environment, ""},
		{"the user says no", asks("MY_KEY", host, nil), no, false, environment, "not confirmed"},
		{"the user says yes", asks("MY_KEY", host, nil), yes, false, environment, ""},
		{"a variable that is not set", asks("MY_KEY", host, nil), nil, false, func(string) string { return "" }, ""},
		{"this machine", asks("MY_KEY", "http://127.0.0.1:8000/v1", nil), nil, false, environment, ""},
		{"the maker", asks("OPENAI_API_KEY", "", nil), nil, false, environment, ""},
		{"the maker's key elsewhere", asks("OPENAI_API_KEY", host, nil), nil, false, environment, "$OPENAI_API_KEY was not sent"},
		{"a header", asks("", host, map[string]string{"X-Token": "${MY_KEY}"}), nil, false, environment, "$MY_KEY was not sent"},
		{"a key of something else", asks("AWS_SECRET_ACCESS_KEY", host, nil), yes, false, environment, "by its name a key of something else"},
		{"a key of something else in a header", asks("", host, map[string]string{"X-Token": "${GITHUB_TOKEN}"}), yes, false, environment, "by its name"},
		{"a key of something else, --trust", asks("PGPASSWORD", host, nil), nil, true, environment, ""},
	} {
		trusted := trust{file: filepath.Join(t.TempDir(), "compqa", "trusted"), ask: test.ask, given: test.given, getenv: test.getenv}
		err := trusted.check(test.c, test.c.Sends([]string{"p"}))
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: %v; want %q", test.name, err, test.refused)
		}
		if test.name != "the user says yes" {
			continue
		}
		trusted.ask = nil
		if err := trusted.check(test.c, test.c.Sends([]string{"p"})); err != nil {
			t.Errorf("the second time: %v", err)
		}
		if err := trusted.check(asks("MY_KEY", "https://other.example", nil), asks("MY_KEY", "https://other.example", nil).Sends([]string{"p"})); err == nil {
			t.Error("another host with the same variable is not asked about")
		}
	}
}

// TestTrustOfPrograms: a configuration that runs a program must be confirmed in each folder, as one that sends a key must be.
func TestTrustOfPrograms(t *testing.T) {
	in := func(folder string) *config.Config {
		return &config.Config{File: filepath.Join(folder, "compqa.yaml"), Providers: map[string]llm.Provider{"p": {Type: llm.TypeCommand, Run: []string{"./judge", "--fast"}}}}
	}
	c := in("/a")
	trusted := trust{file: filepath.Join(t.TempDir(), "trusted"), getenv: func(string) string { return "" }}
	sends := c.Sends([]string{"p"})
	if err := trusted.check(c, sends); err == nil || !strings.Contains(err.Error(), "provider p runs ./judge --fast, and this program was not confirmed before") {
		t.Errorf("without a terminal: %v", err)
	}
	trusted.ask = func(string) bool { return true }
	if err := trusted.check(c, sends); err != nil {
		t.Fatal(err)
	}
	trusted.ask = nil
	if err := trusted.check(c, sends); err != nil {
		t.Errorf("the second time: %v", err)
	}
	if err := trusted.check(in("/b"), sends); err == nil {
		t.Error("the same words in another folder are not asked about")
	}
}

func TestOtherKeys(t *testing.T) {
	for name, other := range map[string]bool{
		"AWS_SESSION_TOKEN": true, "PGPASSWORD": true, "PGUSER": true, "DB_PASSWORD": true, "GITHUB_TOKEN": true, "SSH_AUTH_SOCK": true, "COMPQA_FLEET_KEY": true,
		"OPENAI_API_KEY": false, "HF_TOKEN": false, "AZURE_OPENAI_API_KEY": false,
	} {
		if otherKeys.MatchString(name) != other {
			t.Errorf("%s: %v", name, !other)
		}
	}
}

func TestListSends(t *testing.T) {
	c := &config.Config{File: filepath.Join(t.TempDir(), "compqa.yaml"), Rubric: "../rubric.yaml", Dataset: "cqa50",
		Providers: map[string]llm.Provider{"p": {Type: llm.TypeOpenAI, APIKeyEnv: "OPENAI_API_KEY"}, "local": {Type: llm.TypeOllama}}}
	c.Models = []config.Model{{Entry: config.Entry{Name: "inside", Path: "answers.jsonl"}}, {Entry: config.Entry{Name: "outside", Path: "/etc/hostname"}}}
	var b strings.Builder
	ListSends(c, []string{"p", "local"}, &b)
	want := "provider p sends $OPENAI_API_KEY to api.openai.com\n" +
		"rubric is outside the configuration's folder: ../rubric.yaml\npath of outside is outside the configuration's folder: /etc/hostname\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if ListSends(c, []string{"local"}, &b); b.String() != "" {
		t.Errorf("of this machine: %s", b.String())
	}
}
