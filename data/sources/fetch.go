package sources

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ReleaseRemote is the public repository of the authors' release.
const ReleaseRemote = "https://github.com/lilaspourpre/cqa-evaluation-framework.git"

// FetchRelease fetches one commit of a remote repository by git into dir, which
// appears only when it is complete. It reports whether dir was there already,
// with that commit in it; a folder with anything else in it is an error.
func FetchRelease(ctx context.Context, remote, commit, dir string) (there bool, err error) {
	if _, err := os.Stat(dir); err == nil {
		at, err := git(ctx, dir, "rev-parse", "HEAD")
		if err == nil && at == commit {
			return true, nil
		}
		return false, fmt.Errorf("%s is there, but is not a checkout of commit %.12s; move it away, or name another folder", dir, commit)
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
		{"fetch", "--quiet", "--depth", "1", remote, commit},
		{"checkout", "--quiet", "--detach", commit},
	} {
		if _, err := git(ctx, work, step...); err != nil {
			return false, err
		}
	}
	return false, os.Rename(work, dir)
}

// git runs git in a folder that is a repository of its own, and returns the
// first line it printed; a failure is told in git's own words.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES="+absolute(filepath.Dir(dir)), "LC_ALL=C")
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s took too long", args[0])
	case err != nil:
		if said := complaint(fault.String()); said != "" {
			return "", fmt.Errorf("git %s: %s", args[0], said)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	return first, nil
}

// complaint is the line in which git says what is wrong, else its last one.
func complaint(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "fatal: ") {
			return line
		}
	}
	return lines[len(lines)-1]
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
