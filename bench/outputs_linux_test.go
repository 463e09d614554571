package bench

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolderThatMayNotBeWritten: the error names a folder that may not be written, and nothing is left in the folder.
func TestFolderThatMayNotBeWritten(t *testing.T) {
	home, err := os.MkdirTemp("", "compqa-readonly-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	files := outputFiles(t)
	closed := filepath.Join(home, "closed")
	program, err := os.Executable()
	if err == nil {
		err = copyTo(filepath.Join(home, "compqa"), program)
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(home, "in"), os.DirFS(files))
	}
	if err == nil {
		err = os.Mkdir(closed, 0o555)
	}
	if err == nil {
		err = os.Chmod(home, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(home, "in", name) }
	for _, args := range [][]string{
		{"validate", in("log.csv"), "--people", in("people.csv"), "--judge", "j=score", "--out", closed},
		{"validate", in("log.csv"), "--people", in("people.csv"), "--judge", "j=score", "--out", filepath.Join(closed, "a", "b")},
		{"run", "--config", in("compqa.yaml"), "--limit", "1", "--out", filepath.Join(closed, "run")},
		{"agree", "--units", in("people.csv"), "--out", filepath.Join(closed, "agreement.csv")},
		{"datasheet", "rules", "--limit", "1", "--out", closed},
	} {
		cmd := exec.Command(filepath.Join(home, "compqa"), args...)
		cmd.Env = append(os.Environ(), beCompqa+"=1", "HOME="+home, "TMPDIR="+os.TempDir())
		cmd.Dir = "/"
		if os.Geteuid() == 0 { // root may write everywhere
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		text, err := cmd.CombinedOutput()
		left, failed := os.ReadDir(closed)
		if cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(text), closed) || len(left) > 0 || failed != nil {
			t.Errorf("%v: %v, %d files are left in it\n%s", args, err, len(left), text)
		}
	}
}

// copyTo copies a program.
func copyTo(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Close()
	}
	return err
}
