package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/protocol"
	"compqa/results/table"
)

// diagnose says what a check of a model found and what the user can do about it. The second result reports whether the model can be used.
// The cases come in this order: no key, a wrong entry, no connection, an answer, and then the errors of a reachable server.
func diagnose(f client.Facts) (string, bool) {
	var e *llm.Error
	errors.As(f.Answer, &e)
	switch {
	case !f.KeySet:
		return fmt.Sprintf("no key: the environment variable %s is not set. Get a key from the provider, type `export %s=KEY` in this "+
			"terminal, and run `compqa doctor` again; if the provider needs no key, remove api_key_env", f.KeyEnv, f.KeyEnv), false
	case f.Config != nil:
		return fmt.Sprintf("the entry under providers is not correct: %s", told(f.Config)), false
	case f.Reachable != nil:
		return unreached(f), false
	case e == nil && !f.Schema:
		return fmt.Sprintf("answers (%v), but does not follow a JSON schema: if it is a judge, its replies are parsed leniently and may "+
			"need repair", f.Latency.Round(time.Millisecond)), true
	case e == nil:
		return fmt.Sprintf("answers in %v and follows a JSON schema (%s)", f.Latency.Round(time.Millisecond), f.Format), true
	case e.HTTPStatus == 401 || e.HTTPStatus == 403:
		return refusedKey(f), false
	case f.Models != nil && !f.ModelListed && e.HTTPStatus/100 == 4 && e.HTTPStatus != 429:
		return unknownModel(f), false
	case e.HTTPStatus == 404 && f.Models == nil:
		return fmt.Sprintf("%s has no such address or no such model: %s. The provider's manual has the right base_url (usually it ends in "+
			"/v1) and the name of the model", f.BaseURL, told(f.Answer)), false
	case strings.Contains(e.Message, "no credit"):
		return fmt.Sprintf("the key is right, but %s. Add credit at the provider, or use another key", told(f.Answer)), false
	case e.HTTPStatus == 429:
		return fmt.Sprintf("the server reports too many requests: %s. Wait and try again; if the error remains, lower rpm, tpm and "+
			"concurrency of the provider to the limits of the account", told(f.Answer)), false
	case e.Kind == llm.Cancelled:
		return "the server is reachable, but did not answer within a minute: it may be loading the model; try again, and read its log if " +
			"the error remains", false
	}
	text := fmt.Sprintf("the server is reachable, but a short chat failed: %s", told(f.Answer))
	if e.HTTPStatus >= 500 {
		text += ". This is an error of the server: try again later, and read its log or the provider's status page if the error remains"
	}
	return text, false
}

// told returns the text of an error without the name of the provider.
func told(err error) string {
	var e *llm.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.HTTPStatus >= 300 {
		return fmt.Sprintf("%s (HTTP %d)", e.Message, e.HTTPStatus)
	}
	return e.Message
}

func refusedKey(f client.Facts) string {
	if f.KeyEnv == "" {
		return fmt.Sprintf("the server requires a key: %s. Add api_key_env: NAME to the provider's entry, where NAME is the environment "+
			"variable with the key", told(f.Answer))
	}
	return fmt.Sprintf("the key in %s is refused: %s. Check that it is complete, is a key of this provider, has not expired, and may use "+
		"the model. Type `export %s=KEY` with the right key in this terminal, and run `compqa doctor` again",
		f.KeyEnv, strings.TrimPrefix(told(f.Answer), "the server refuses the key: "), f.KeyEnv)
}

func unknownModel(f client.Facts) string {
	text := fmt.Sprintf("the server has no model %q", f.Model)
	if near := data.Nearest(f.Model, f.Models); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	} else {
		text += "."
	}
	const few = 8
	if more := len(f.Models) - few; more > 0 {
		text += fmt.Sprintf(" It offers %s and %d more.", strings.Join(f.Models[:few], ", "), more)
	} else if len(f.Models) > 0 {
		text += fmt.Sprintf(" It offers %s.", strings.Join(f.Models, ", "))
	}
	text += " Use one of these names for model in the entry"
	if f.Version != "" { // only Ollama has a version
		text += fmt.Sprintf(", or fetch it: `ollama pull %s` (pull: true in the provider's entry does this automatically)", f.Model)
	}
	return text + fmt.Sprintf(" (%s)", told(f.Answer))
}

// unreached says why a server did not answer, and what the user can do about it.
func unreached(f client.Facts) string {
	host := f.BaseURL
	name := ""
	if u, err := url.Parse(f.BaseURL); err == nil && u.Host != "" {
		host, name = u.Host, u.Hostname()
	}
	why := told(f.Reachable)
	says := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(why, part) })
	}
	switch {
	case says("connection refused"):
		do := "start it"
		if name == "localhost" || net.ParseIP(name).IsLoopback() {
			do = "start it on this machine (Ollama: `ollama serve`)"
		}
		return fmt.Sprintf("no server is running at %s (connection refused): %s, or correct base_url", host, do)
	case says("no such host", "server misbehaving"):
		return fmt.Sprintf("there is no host %s: correct base_url, or check the network of this machine (%s)", name, why)
	case says("certificate"):
		return fmt.Sprintf("the certificate of %s cannot be verified: %s. Correct base_url, this machine's clock, or its certificates", host, why)
	case says("deadline exceeded", "timeout", "no complete reply within"):
		return fmt.Sprintf("%s does not answer: check base_url, and whether a firewall or a proxy (HTTPS_PROXY) blocks the connection (%s)",
			host, why)
	}
	return fmt.Sprintf("there is no answer from %s: %s. Check that the server is running and that base_url is right", f.BaseURL, why)
}

// writable reports whether a run can be recorded in the folder dir, and says what was found. The folder need not exist yet. need is about
// how many bytes the run takes.
func writable(dir string, need uint64) (string, bool) {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		_, err = f.Write(make([]byte, 1<<20))
		err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
	}
	return spaceInWords(err, freeSpace(dir), need)
}

// spaceInWords describes the result err of a test write, the free bytes, and the bytes that a run needs. 0 bytes means unknown. It also
// says what to do, and reports whether a run can be recorded.
func spaceInWords(err error, free, need uint64) (string, bool) {
	switch {
	case err == nil:
		text := "can be written"
		if free > 0 {
			text += fmt.Sprintf(", %s free", protocol.SizeInWords(free))
		}
		if need > 0 {
			text += fmt.Sprintf("; a run needs about %s", protocol.SizeInWords(need))
		}
		if 0 < free && free < need {
			text += ": free some space, or use another disk (--out DIR)"
		}
		return text, true
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full: free some space, or use another disk (--out DIR). Recorded results are safe; if a run stopped because of " +
			"this, the same command continues it", false
	}
	return fmt.Sprintf("cannot be written (%v): use a folder of your own, --out DIR", config.UnwrapPath(err)), false
}

// examine checks one entry with its own options, within a minute. refused is the error about an option of the entry that the model does not
// accept, or nil.
func examine(ctx context.Context, provider llm.Provider, req llm.Request) (found string, fine bool, refused *llm.Error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	f := client.Check(ctx, provider, req, os.Getenv, client.Hooks{})
	if e, ok := errors.AsType[*llm.Error](f.Answer); ok {
		if e := refusedLogprobs(req, e); e.Parameter != "" {
			return "", false, e
		}
	}
	found, fine = diagnose(f)
	if warning := provider.Exposes(); warning != "" {
		found += "; " + warning
	}
	if f.NoLogprobs {
		found += "; it returns no log-probabilities, which the entry asks for, so that its choices have no confidence"
	}
	var without []string
	for _, a := range f.Adaptations {
		if _, set := req.Options[a.Parameter]; set {
			without = append(without, a.Parameter)
		}
	}
	slices.Sort(without)
	if without != nil && fine {
		found += "; it is asked without " + strings.Join(without, ", ") + ", which it does not accept"
	}
	return found, fine, nil
}

// examineBatches reports whether the list of batches at a server can be read, which an interrupted run needs to find its batches. Reading
// the list costs nothing.
func examineBatches(ctx context.Context, provider llm.Provider) (found string, fine bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := client.New(provider, os.Getenv, client.Hooks{})
	if err == nil {
		_, err = c.(client.Batcher).Find(ctx, client.Submission{Label: "doctor"})
	}
	if err != nil {
		return "; its batches cannot be listed: " + told(err), false
	}
	return "; its batches can be listed", true
}

// refusedLogprobs returns e with Parameter set to logprobs, if its message is about log-probabilities that the request asks for. OpenAI
// reports them in the same way as a wrong key (HTTP 403). Other servers say that they are not enabled, or too many. Any other error is
// returned as it is.
func refusedLogprobs(req llm.Request, e *llm.Error) *llm.Error {
	if e.Parameter != "" || !req.WantsLogprobs() || !strings.Contains(strings.ToLower(e.Message), "logprobs") {
		return e
	}
	refused := *e
	refused.Kind = llm.Misconfigured
	refused.Parameter = "logprobs"
	refused.Message = fmt.Sprintf("the model does not accept logprobs: true (%s)", e.Message)
	return &refused
}

// A checkedEntry is the result of asking a model at a provider with the options of an entry.
type checkedEntry struct {
	Provider string `json:"provider"`
	Server   string `json:"server,omitempty"` // the address, if the provider has several servers
	Model    string `json:"model"`
	Usable   bool   `json:"usable"`
	Found    string `json:"found"`
}

// checkEntries checks each entry that asks a provider, with its own options. Entries that differ only in the lengths of replies are checked
// once. A model is listed once, and again for other options only if their result differs.
func checkEntries(ctx context.Context, c *config.Config, w io.Writer) ([]checkedEntry, error) {
	list := []checkedEntry{}
	entries := c.LiveEntries()
	if len(entries) == 0 {
		table.PrintWrapped(w, "no model of a provider is configured, so there is no server to check (`compqa models` prints entries to copy)")
		return list, nil
	}
	slices.SortStableFunc(entries, func(a, b config.LiveEntry) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Model, b.Model))
	})
	unusable := 0
	examined := map[string]bool{}
	listed := map[string]string{}
	for _, e := range entries {
		provider, req := c.Providers[e.Provider], e.Request(nil)
		provider.Name = e.Provider
		asked := llm.Request{Model: req.Model, Options: withoutLengths(req.Options), Extra: withoutLengths(req.Extra)}
		same := config.HashOf(e.Provider, asked, e.Batch.On())
		if examined[same] {
			continue
		}
		examined[same] = true
		usable := false // whether one server at least can be used
		for _, server := range provider.Servers() {
			who := e.Provider
			address := ""
			if len(provider.BaseURLs) > 0 {
				address = server.BaseURL
				who += " at " + address
			}
			found, fine, refused := examine(ctx, server, req)
			if fine && e.Batch.On() {
				batches, have := examineBatches(ctx, server)
				found += batches
				fine = have
			}
			usable = usable || fine
			result := fmt.Sprint(fine, refused, latency.ReplaceAllString(found, ""))
			if listed[who+" "+e.Model] == result {
				continue
			}
			listed[who+" "+e.Model] = result
			if refused != nil {
				found = c.Locate(e.Refusal(refused)).Error()
				fmt.Fprintln(w, found)
			} else {
				fmt.Fprintf(w, "%s, %s: %s\n", who, e.Model, found)
			}
			list = append(list, checkedEntry{e.Provider, address, e.Model, fine, found})
		}
		if !usable {
			unusable++
		}
	}
	if unusable > 0 {
		return list, fmt.Errorf("%s not usable", data.Plural(unusable, "entry is", "entries are"))
	}
	return list, nil
}

// latency matches the time of a reply in the text that diagnose returns.
var latency = regexp.MustCompile(` in [0-9.µa-z]+ |\([0-9.µa-z]+\)`)

// withoutLengths returns options without limits on tokens, which do not decide whether a model can be used.
func withoutLengths(options map[string]any) map[string]any {
	options = maps.Clone(options)
	for _, name := range []string{"max_tokens", "max_completion_tokens", "num_predict", "num_ctx"} {
		delete(options, name)
	}
	if len(options) == 0 {
		return nil
	}
	return options
}
