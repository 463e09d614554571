package archive

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSign: a signature is valid only for one file, one namespace and one key. This holds for every type of key.
func TestSign(t *testing.T) {
	for _, kind := range []string{"ed25519", "rsa", "ecdsa"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "run.gz")
		key := sharedtest.SSHKey(t, kind, "")
		other := sharedtest.SSHKey(t, "ed25519", "")
		write(t, file, []byte("an export"))
		if by, err := SignedBy(file, ""); by != "" || err != nil {
			t.Errorf("%s: without a signature: %v, %v", kind, by, err)
		}
		if _, err := SignedBy(file, key+".pub"); !errors.Is(err, ErrDifference) {
			t.Errorf("%s: without a signature, but with a wanted signer: %v", kind, err)
		}
		signature, err := Sign(file, key)
		if err != nil {
			t.Fatal(err)
		}
		by, err := SignedBy(file, key+".pub")
		if err != nil || !strings.HasPrefix(by, "SHA256:") || strings.Contains(by, "not compared") {
			t.Errorf("%s: signed by %v, %v", kind, by, err)
		}
		if any, err := SignedBy(file, ""); err != nil || !strings.HasPrefix(any, by+", a key that was not compared") {
			t.Errorf("%s: signed by %v, %v", kind, any, err)
		}
		if _, err := SignedBy(file, other+".pub"); !errors.Is(err, ErrDifference) || !strings.Contains(err.Error(), "another key, "+by) {
			t.Errorf("%s: of another signer: %v", kind, err)
		}
		if err := CheckSigners(key); err == nil {
			t.Errorf("%s: a private key is read as public ones", kind)
		}
		content, err := os.ReadFile(signature)
		if err != nil || strings.Contains(string(content), "PRIVATE") {
			t.Errorf("%v, %s", err, content)
		}
		for what, change := range map[string]func() error{
			"changed": func() error {
				return os.WriteFile(signature, []byte(strings.Replace(string(content), "A", "B", 1)), 0o600)
			},
			"empty": func() error { return os.WriteFile(signature, nil, 0o600) },
			"of another namespace": func() error {
				os.Remove(signature)
				return exec.Command(keygen, "-Y", "sign", "-q", "-n", "git", "-f", key, file).Run()
			},
			"of another file's text": func() error { _, err := Sign(file, key); write(t, file, []byte("another export")); return err },
		} {
			write(t, file, []byte("an export"))
			if err := change(); err != nil {
				t.Fatal(err)
			}
			for _, signers := range []string{"", key + ".pub"} {
				if by, err := SignedBy(file, signers); !errors.Is(err, ErrDifference) {
					t.Errorf("%s: a signature that is %s: %v, %v", kind, what, by, err)
				}
			}
		}
	}
}

// TestSignLocked: an error names the key file that cannot be used, and no error quotes the key itself.
func TestSignLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.gz")
	write(t, file, []byte("an export"))
	t.Setenv("SSH_ASKPASS", "/bin/false")
	t.Setenv("SSH_ASKPASS_REQUIRE", "force")
	if _, err := Sign(file, sharedtest.SSHKey(t, "ed25519", "a secret")); err == nil || !strings.Contains(err.Error(), "cannot sign: ") {
		t.Errorf("a locked key: %v", err)
	}
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nSECRETSECRET\n-----END OPENSSH PRIVATE KEY-----\n"))
	if _, err := Sign(file, path); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a broken key: %v", err)
	}
	write(t, path, []byte("hello"))
	if err := CheckKey(path); err == nil || !strings.Contains(err.Error(), "is not an SSH key") {
		t.Errorf("no key: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := CheckKey(path); !errors.Is(err, ErrNoKeygen) {
		t.Errorf("without ssh-keygen: %v", err)
	}
}
