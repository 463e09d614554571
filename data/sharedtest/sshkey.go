package sharedtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// SSHKey returns the path of a new private key of some type; its public key is next to it. A test that needs it is skipped where there
// is no ssh-keygen, and fails in CI.
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
