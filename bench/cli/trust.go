package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/term"

	"compqa/bench/config"
	"compqa/results/store"
)

// TrustUsage is the help of the flag --trust.
const TrustUsage = "send the values of environment variables to the hosts that the configuration names, without a question"

// ListSends writes which environment variables a configuration sends to which hosts. If one of the providers is on another machine, it also
// writes which files outside its folder the configuration reads.
func ListSends(c *config.Config, providers []string, w io.Writer) {
	for _, s := range c.Sends(providers) {
		fmt.Fprintln(w, s)
	}
	for _, file := range c.Outside(providers) {
		fmt.Fprintln(w, file)
	}
}

// Trust lists what a configuration sends. On a terminal, it asks the user to confirm each pair of variable and host that was not confirmed
// before. Without a terminal, a new pair needs --trust.
func Trust(c *config.Config, providers []string, w io.Writer) error {
	if c.Confirmed {
		return nil
	}
	ListSends(c, providers, w)
	t := trust{getenv: os.Getenv, given: c.Trusted}
	if folder, err := os.UserConfigDir(); err == nil {
		t.file = filepath.Join(folder, "compqa", "trusted")
	}
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())) {
		t.ask = func(question string) bool {
			fmt.Fprint(os.Stderr, question+" [y/N] ")
			answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
			return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
		}
	}
	err := t.check(c, c.Sends(providers))
	c.Confirmed = err == nil
	return err
}

// trust decides which values of environment variables may be sent to which hosts, and which programs may run.
type trust struct {
	file   string                     // holds what the user confirmed, one line per variable and host; "" without such a file
	ask    func(question string) bool // asks the user; nil without a terminal
	given  bool                       // whether --trust was given
	getenv func(string) string
}

// makers maps the name of an API key to the host of the company that issues it. A key may always be sent there.
var makers = map[string]string{
	"OPENAI_API_KEY": "api.openai.com", "ANTHROPIC_API_KEY": "api.anthropic.com", "OPENROUTER_API_KEY": "openrouter.ai",
	"GEMINI_API_KEY": "generativelanguage.googleapis.com", "MISTRAL_API_KEY": "api.mistral.ai", "GROQ_API_KEY": "api.groq.com",
	"DEEPSEEK_API_KEY": "api.deepseek.com", "TOGETHER_API_KEY": "api.together.xyz",
}

// otherKeys matches names of variables that by convention hold keys for something other than a model.
var otherKeys = regexp.MustCompile(`(?i)^(AWS_|PG|SSH_|COMPQA_FLEET|(GITHUB|GH|GITLAB|NPM|PYPI|SLACK)_TOKEN$)|_?(PASSWORD|PASSWD)$`)

// check returns an error at the first send that is not allowed, and records what the user confirms. Allowed without a question are all
// sends with --trust, variables that are not set, and keys sent to the host that issued them. Sending another service's key is refused.
// Anything else needs a confirmation, now or before. A program is confirmed for each folder of a configuration.
func (t trust) check(c *config.Config, sends []config.Send) error {
	text, _ := os.ReadFile(t.file) // without it nothing is confirmed
	known := strings.Split(string(text), "\n")
	var fresh []string
	for _, s := range sends {
		line := s.Variable + " " + s.Host
		why := fmt.Sprintf("$%s was not sent to %s before", s.Variable, s.Host)
		if s.Program != "" { // the same words may mean another program in another folder
			folder, err := filepath.Abs(filepath.Dir(c.File))
			if err != nil {
				return err
			}
			line = fmt.Sprintf("%q in %q", s.Program, folder)
			why = "this program was not confirmed before"
		}
		if t.given || s.Program == "" && (t.getenv(s.Variable) == "" || makers[s.Variable] == s.Host) {
			continue
		}
		if otherKeys.MatchString(s.Variable) {
			return t.refused(c, s, fmt.Sprintf("$%s is by its name a key of something else", s.Variable))
		}
		if slices.Contains(known, line) || slices.Contains(fresh, line) {
			continue
		}
		if t.ask == nil {
			return t.refused(c, s, why)
		}
		if !t.ask(fmt.Sprintf("%s: %s for the first time. Go on?", c.File, s)) {
			return t.refused(c, s, "it was not confirmed")
		}
		fresh = append(fresh, line)
	}
	return t.add(fresh)
}

func (t trust) refused(c *config.Config, s config.Send, why string) error {
	return config.Usagef("%s: %s, and %s; check base_url and the names of the variables, and confirm with --trust", c.File, s, why)
}

// add appends the confirmed lines to the file, and creates the file if it is missing.
func (t trust) add(lines []string) error {
	if len(lines) == 0 || t.file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return err
	}
	return store.AppendFile(t.file, strings.Join(lines, "\n")+"\n", 0o600)
}
