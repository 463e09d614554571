package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// releaseRemote is the public repository of the authors' release.
const releaseRemote = "https://github.com/lilaspourpre/cqa-evaluation-framework.git"

// fetchRelease fetches one commit of a remote repository with git into dir. dir is created only when the checkout is complete. It returns
// true if dir already is an unchanged checkout of the commit. Any other existing folder is an error.
func fetchRelease(ctx context.Context, remote, commit, dir string) (there bool, err error) {
	if strings.HasPrefix(remote, "-") || !commitHash.MatchString(commit) {
		return false, fmt.Errorf("the remote is %q and the commit %q; an address and a hash of 7 to 40 digits are needed", remote, commit)
	}
	if _, err := os.Stat(dir); err == nil {
		head, err := gitCommand(ctx, dir, "rev-parse", "HEAD")
		if err != nil || head != commit {
			return false, fmt.Errorf("%s exists, but is not a checkout of commit %.12s; move it, or choose another folder", dir, commit)
		}
		if changed, err := gitCommand(ctx, dir, "status", "--porcelain"); err != nil || changed != "" {
			return false, fmt.Errorf("%s is a checkout of commit %.12s with changes (%s); move it, or choose another folder", dir, commit,
				strings.TrimSpace(changed))
		}
		return true, nil
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return false, err
	}
	work, err := os.MkdirTemp(parent, ".fetching-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	for _, step := range [][]string{
		{"init", "--quiet"},
		{"fetch", "--quiet", "--depth", "1", "--", remote, commit},
		{"checkout", "--quiet", "--detach", commit},
	} {
		if _, err := gitCommand(ctx, work, step...); err != nil {
			return false, err
		}
	}
	return false, os.Rename(work, dir)
}

var commitHash = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// gitCommand runs git in the repository dir and returns the first line of its output. An error has git's message: the line that begins with
// "fatal:", or else the last line.
func gitCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	// Variables such as GIT_DIR would make git use another repository.
	names := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	parent, err := filepath.Abs(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	cmd.Env = append(names, "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES="+parent, "LC_ALL=C")
	var out, fault bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &fault
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s took too long", args[0])
	case err != nil:
		lines := strings.Split(strings.TrimSpace(fault.String()), "\n")
		fatal, _ := data.First(lines, func(line string) bool { return strings.HasPrefix(line, "fatal: ") })
		if message := cmp.Or(fatal, lines[len(lines)-1]); message != "" {
			return "", fmt.Errorf("git %s: %s", args[0], message)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	return first, nil
}
