package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// releaseRepository makes a git repository with two commits. It returns the repository's URL and the hash of the first commit.
func releaseRepository(t *testing.T) (url, commit string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		sharedtest.Missing(t, "no git")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "--quiet")
	for _, content := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		run("add", "file")
		run("commit", "--quiet", "-m", content)
	}
	return "file://" + dir, run("rev-parse", "HEAD~1")
}

func TestFetchRelease(t *testing.T) {
	if !alone(t) {
		return
	}
	url, commit := releaseRepository(t)
	dir := filepath.Join(t.TempDir(), "deep", "release")
	there, err := fetchRelease(t.Context(), url, commit, dir)
	if err != nil || there {
		t.Fatalf("fetched: %v, there before: %v", err, there)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(content) != "one" {
		t.Errorf("the file says %q, %v; want that of the commit asked for", content, err)
	}
	if there, err = fetchRelease(t.Context(), url, commit, dir); err != nil || !there {
		t.Errorf("a second time: there %v, %v", there, err)
	}
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "another")) // the variable names another repository
	if there, err = fetchRelease(t.Context(), url, commit, dir); err != nil || !there {
		t.Errorf("with GIT_DIR of another repository: there %v, %v", there, err)
	}
	if _, err := fetchRelease(t.Context(), "--upload-pack=touch "+filepath.Join(dir, "executed"), commit, filepath.Join(t.TempDir(), "x")); err == nil {
		t.Error("an option was taken for a remote")
	}
	if _, err := fetchRelease(t.Context(), url, strings.Repeat("0", 40), dir); err == nil || !strings.Contains(err.Error(), "move it, or choose") {
		t.Errorf("another commit in a folder that is there: %v", err)
	}
}

func TestFetchReleaseChanged(t *testing.T) {
	t.Parallel()
	url, commit := releaseRepository(t)
	dir := filepath.Join(t.TempDir(), "release")
	if _, err := fetchRelease(t.Context(), url, commit, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fetchRelease(t.Context(), url, commit, dir); err == nil || !strings.Contains(err.Error(), "with changes (M file)") {
		t.Errorf("a changed checkout: %v", err)
	}
}

func TestFetchReleaseFails(t *testing.T) {
	t.Parallel()
	url, commit := releaseRepository(t)
	parent := t.TempDir()
	dir := filepath.Join(parent, "release")
	for remote, commit := range map[string]string{url + "-not": commit, url: strings.Repeat("1", 40)} {
		if _, err := fetchRelease(t.Context(), remote, commit, dir); err == nil || !strings.HasPrefix(err.Error(), "git fetch: ") {
			t.Errorf("%s: %v", remote, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fetchRelease(ctx, url, commit, dir); err == nil || !strings.Contains(err.Error(), "took too long") {
		t.Errorf("no time left: %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("a failed fetch leaves %v", left)
	}
}
