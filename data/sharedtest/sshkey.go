package sharedtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// SSHKey makes a private key of a type, with its public key beside it, and returns the path of the private key. Without ssh-keygen, the
// test is skipped, or fails in CI.
func SSHKey(tb testing.TB, kind, passphrase string) string {
	tb.Helper()
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		Missing(tb, "no ssh-keygen (OpenSSH)")
	}
	path := filepath.Join(tb.TempDir(), "key")
	if out, err := exec.Command(program, "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", path).CombinedOutput(); err != nil {
		tb.Fatalf("ssh-keygen: %v, %s", err, out)
	}
	return path
}
