package archive

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSign: a signature is of one file and one key, with every type of key; ssh-keygen accepts
// it, where there is one.
func TestSign(t *testing.T) {
	_, edwards, err1 := ed25519.GenerateKey(rand.Reader)
	long, err2 := rsa.GenerateKey(rand.Reader, 2048)
	curve, err3 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, private := range map[string]any{"ed25519": edwards, "rsa": long, "ecdsa": curve} {
		dir := t.TempDir()
		file, path := filepath.Join(dir, "run.gz"), filepath.Join(dir, "key")
		block, err := ssh.MarshalPrivateKey(private, "")
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, pem.EncodeToMemory(block))
		write(t, file, []byte("an export"))
		if key, err := SignedBy(file); key != nil || err != nil {
			t.Errorf("%s: without a signature: %v, %v", name, key, err)
		}
		key, err := ReadSigner(path)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := Sign(file, key)
		if err != nil {
			t.Fatal(err)
		}
		by, err := SignedBy(file)
		if err != nil || string(by.Marshal()) != string(key.PublicKey().Marshal()) {
			t.Errorf("%s: signed by %v, %v", name, by, err)
		}
		public := filepath.Join(dir, "key.pub")
		write(t, public, ssh.MarshalAuthorizedKey(key.PublicKey()))
		if keys, err := ReadPublicKeys(public); err != nil || len(keys) != 1 {
			t.Errorf("%s: %d keys, %v", name, len(keys), err)
		}
		if keys, err := ReadPublicKeys(path); err == nil {
			t.Errorf("%s: a private key is read as %d public ones", name, len(keys))
		}
		if program, err := exec.LookPath("ssh-keygen"); err == nil {
			allowed := filepath.Join(dir, "allowed")
			write(t, allowed, append([]byte("us "), ssh.MarshalAuthorizedKey(key.PublicKey())...))
			in, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			check := exec.Command(program, "-Y", "verify", "-f", allowed, "-I", "us", "-n", Namespace, "-s", signature)
			check.Stdin = in
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s: ssh-keygen: %v, %s", name, err, out)
			}
			in.Close()
		}
		content, err := os.ReadFile(signature)
		if err != nil || strings.Contains(string(content), "PRIVATE") {
			t.Errorf("%v, %s", err, content)
		}
		write(t, signature, []byte(strings.Replace(string(content), "A", "B", 1)))
		if _, err := SignedBy(file); !errors.Is(err, ErrDifference) {
			t.Errorf("%s: a changed signature: %v", name, err)
		}
		write(t, signature, content)
		write(t, file, []byte("another export"))
		if _, err := SignedBy(file); !errors.Is(err, ErrDifference) || !strings.Contains(err.Error(), "is of another file") {
			t.Errorf("%s: of another file: %v", name, err)
		}
	}
}

// TestSignLocked: a key with a passphrase is named as such, and no error quotes a key.
func TestSignLocked(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, pem.EncodeToMemory(block))
	if _, err := ReadSigner(path); err == nil || !strings.Contains(err.Error(), "ssh-keygen -Y sign -n compqa-export") {
		t.Errorf("a locked key: %v", err)
	}
	write(t, path, []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nSECRETSECRET\n-----END OPENSSH PRIVATE KEY-----\n"))
	if _, err := ReadSigner(path); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a broken key: %v", err)
	}
}
