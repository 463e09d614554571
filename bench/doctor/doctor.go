// Package doctor finds out what would stop a run: a missing key, a server that cannot be
// reached, an unknown model, a full disk.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/llm/client"
)

// diagnose says in words what a check found and what to do about it, and whether
// the model can be used.
func diagnose(f client.Facts) (string, bool) {
	var e *llm.Error
	errors.As(f.Answer, &e)
	switch {
	case !f.KeySet:
		return fmt.Sprintf("no key: the environment variable %s is not set. Get a key from the provider, type `export %s=KEY` in this terminal, and run `compqa doctor` again; a provider that needs none has no api_key_env", f.KeyEnv, f.KeyEnv), false
	case f.Config != nil:
		return fmt.Sprintf("the provider is not configured right: %s; correct its entry under providers", told(f.Config)), false
	case f.Reachable != nil:
		return unreached(f), false
	case e == nil && !f.Schema:
		return fmt.Sprintf("answers (%v), but does not keep to a JSON schema: as a judge its replies are parsed leniently and may need repair", f.Latency.Round(time.Millisecond)), true
	case e == nil:
		return fmt.Sprintf("answers in %v and keeps to a JSON schema (%s)", f.Latency.Round(time.Millisecond), f.Format), true
	case e.HTTPStatus == 401 || e.HTTPStatus == 403:
		return refusedKey(f), false
	case f.Models != nil && !f.Listed && e.HTTPStatus/100 == 4 && e.HTTPStatus != 429:
		return unknownModel(f), false
	case e.HTTPStatus == 404 && f.Models == nil:
		return fmt.Sprintf("%s has no such address or no such model: %s. Look up in the provider's manual how base_url ends (mostly in /v1) and how the model is called there", f.BaseURL, told(f.Answer)), false
	case strings.Contains(e.Message, "no credit"):
		return fmt.Sprintf("the key is right, but %s. Add credit at the provider, or take another key", told(f.Answer)), false
	case e.HTTPStatus == 429:
		return fmt.Sprintf("the server reports too many requests: %s. Wait a little and try again; if the error remains, lower rpm, tpm and concurrency of the provider to what the account allows", told(f.Answer)), false
	case e.Kind == llm.Cancelled:
		return "the server is there, but gave no answer within a minute: it may be loading the model; try again, and look at its log if it stays so", false
	}
	text := fmt.Sprintf("the server is there, but a small chat failed: %s", told(f.Answer))
	if e.HTTPStatus >= 500 {
		text += ". The fault is the server's: try again in a while, and look at its log, or at its provider's status page, if it stays so"
	}
	return text, false
}

// told is what an error says, without whom it concerns.
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
		return fmt.Sprintf("the server wants a key and was sent none: %s. Name the environment variable that holds it: api_key_env: NAME in the provider's entry", told(f.Answer))
	}
	return fmt.Sprintf("the key in %s is refused: %s. Is it whole, of this provider, not expired, and allowed to use the model? Type `export %s=KEY` with the right one in this terminal and run `compqa doctor` again",
		f.KeyEnv, strings.TrimPrefix(told(f.Answer), "the server refuses the key: "), f.KeyEnv)
}

func unknownModel(f client.Facts) string {
	text := fmt.Sprintf("the server has no model %q", f.Model)
	if near := data.Nearest(f.Model, f.Models); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	} else {
		text += "."
	}
	if len(f.Models) > 0 {
		text += fmt.Sprintf(" It offers %s.", abridged(f.Models))
	}
	text += " Put one of its names into model: of the entry"
	if f.Version != "" { // of Ollama
		text += fmt.Sprintf(", or fetch it: `ollama pull %s` (pull: true in the provider's entry does it by itself)", f.Model)
	}
	return text + fmt.Sprintf(" (%s)", told(f.Answer))
}

// unreached says why a server did not answer at all.
func unreached(f client.Facts) string {
	host := f.BaseURL
	if u, err := url.Parse(f.BaseURL); err == nil && u.Host != "" {
		host = u.Host
	}
	why := told(f.Reachable)
	switch {
	case strings.Contains(why, "connection refused"):
		do := "start it"
		if ip := net.ParseIP(hostname(f.BaseURL)); hostname(f.BaseURL) == "localhost" || ip != nil && ip.IsLoopback() {
			do = "start it on this machine (Ollama: `ollama serve`)"
		}
		return fmt.Sprintf("no server is running at %s (connection refused): %s, or correct base_url", host, do)
	case strings.Contains(why, "no such host"), strings.Contains(why, "server misbehaving"):
		return fmt.Sprintf("there is no host %s: correct base_url, or look whether this machine has a network (%s)", hostname(f.BaseURL), why)
	case strings.Contains(why, "certificate"):
		return fmt.Sprintf("the certificate of %s cannot be verified: %s. Correct base_url, this machine's clock, or its certificates", host, why)
	case strings.Contains(why, "deadline exceeded"), strings.Contains(why, "timeout"), strings.Contains(why, "no complete reply within"):
		return fmt.Sprintf("%s gives no answer: is it the right base_url, and does a firewall or a proxy (HTTPS_PROXY) stand in between? (%s)", host, why)
	}
	return fmt.Sprintf("nothing answers at %s: %s. Is the server running, and is base_url right?", f.BaseURL, why)
}

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// abridged names the first few of many.
func abridged(names []string) string {
	const few = 8
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// Writable says whether a run can be recorded in a folder, which need not be
// there yet.
func Writable(dir string) (string, bool) {
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
	free, known := freeSpace(dir)
	return SpaceInWords(err, free, known)
}

// littleSpace is what is worth a warning: a call takes some 20 kB of the record.
const littleSpace = 200 << 20

// SpaceInWords says what a trial of writing came to, and what to do.
func SpaceInWords(err error, free int64, known bool) (string, bool) {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full: delete something, or give a run another disk, --out DIR. What is recorded already is safe; a run that stopped for this goes on by the same command", false
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Sprintf("may not be written (%v): give a run a folder of your own, --out DIR", config.UnwrapPath(err)), false
	case err != nil:
		return fmt.Sprintf("cannot be written: %v; give a run another folder, --out DIR", config.UnwrapPath(err)), false
	case known && free < littleSpace:
		return fmt.Sprintf("can be written, but only %d MB are free, which is enough for some %d calls", free>>20, free/(20<<10)), true
	}
	return "can be written", true
}

// Examine checks one entry with its own options, within a minute. refused is an option of the
// entry that the model does not accept; nil: none.
func Examine(ctx context.Context, provider llm.Provider, req llm.Request) (found string, fine bool, refused *llm.Error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	f := client.Check(ctx, provider, req, os.Getenv, client.Hooks{})
	if e, ok := errors.AsType[*llm.Error](f.Answer); ok && e.Parameter != "" {
		return "", false, e
	}
	found, fine = diagnose(f)
	if warning := provider.Exposes(); warning != "" {
		found += "; " + warning
	}
	var without []string
	for _, a := range f.Learned {
		if _, set := req.Options[a.Parameter]; set {
			without = append(without, a.Parameter)
		}
	}
	if slices.Sort(without); without != nil && fine {
		found += "; it is asked without " + strings.Join(without, ", ") + ", which it does not accept"
	}
	return found, fine, nil
}
