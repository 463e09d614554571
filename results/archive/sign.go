package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"compqa/results/store"
)

// A signature is a file next to an export, which ssh-keygen -Y makes and checks, as it does for git.
const (
	// SignatureSuffix is what the name of a signature adds to that of its export.
	SignatureSuffix = ".sig"
	// Namespace keeps signatures of exports apart from others by the same key.
	Namespace = "compqa-export"

	keygen        = "ssh-keygen"
	mostSignature = 64 << 10 // bytes
)

// ErrNoKeygen says that signatures can be neither made nor checked.
var ErrNoKeygen = errors.New("signatures need ssh-keygen (OpenSSH 8.2 or later), which is not installed here")

var (
	fingerprint = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)
	publicKey   = regexp.MustCompile(`^(ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/=]+`)
)

// sshKeygen runs ssh-keygen -Y with a file as its input ("": none). Its error is the first line that it prints.
func sshKeygen(input string, args ...string) (out string, err error) {
	cmd := exec.Command(keygen, append([]string{"-Y"}, args...)...)
	if input != "" {
		in, err := os.Open(input)
		if err != nil {
			return "", err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var text bytes.Buffer
	cmd.Stdout = &text
	cmd.Stderr = &text
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", ErrNoKeygen
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text.String()), "\n")
	if err != nil {
		err = errors.New(cmp.Or(strings.TrimSpace(first), err.Error()))
	}
	return text.String(), err
}

// Sign writes the signature of an export next to it, with the private key in a file, and returns its path. ssh-keygen asks for a
// passphrase on the terminal.
func Sign(file, key string) (path string, err error) {
	path = file + SignatureSuffix
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err // ssh-keygen would ask whether to replace it
	}
	if _, err = sshKeygen("", "sign", "-q", "-n", Namespace, "-f", key, file); err != nil {
		return "", fmt.Errorf("%s cannot sign: %w", key, err)
	}
	return path, nil
}

// CheckKey returns what is wrong with a file that is to hold a private key, before an export is made.
func CheckKey(path string) error {
	if _, err := exec.LookPath(keygen); err != nil {
		return ErrNoKeygen
	}
	text, err := readBounded(path)
	if err == nil && !bytes.Contains(text, []byte("PRIVATE KEY-----")) && !publicKey.Match(text) {
		err = fmt.Errorf("%s is not an SSH key", path)
	}
	return err
}

// SignedBy returns the fingerprint of the key that signed an export; "" without a signature. signers is a file of public keys, one of
// which it must be ("": any key). It is a difference if the signature is not one of this file by such a key.
func SignedBy(file, signers string) (by string, err error) {
	signature := file + SignatureSuffix
	switch _, err := readBounded(signature); {
	case errors.Is(err, os.ErrNotExist) && signers == "":
		return "", nil
	case errors.Is(err, os.ErrNotExist):
		return "", Differ("it is not signed: there is no %s", filepath.Base(signature))
	case err != nil:
		return "", err
	}
	out, err := sshKeygen(file, "check-novalidate", "-n", Namespace, "-s", signature)
	if errors.Is(err, ErrNoKeygen) && signers == "" {
		return "a key that was not looked at: " + err.Error(), nil
	}
	if errors.Is(err, ErrNoKeygen) {
		return "", err
	}
	by = fingerprint.FindString(out)
	if err != nil || by == "" {
		return "", Differ("%s is not a signature of this file in the namespace %s: %v", signature, Namespace, err)
	}
	if signers == "" {
		return by + ", a key that was not compared with any (--signer KEY)", nil
	}
	keys, err := allowedSigners(signers)
	if err != nil {
		return "", err
	}
	temporary, err := store.NewTemporary(os.TempDir(), "compqa-signers-") // ssh-keygen reads keys from a file
	if err != nil {
		return "", err
	}
	defer temporary.Close()
	allowed := filepath.Join(temporary.Dir, "signers")
	if err := os.WriteFile(allowed, []byte(keys), 0o600); err != nil {
		return "", err
	}
	if _, err := sshKeygen(file, "verify", "-n", Namespace, "-s", signature, "-I", "signer", "-f", allowed); err != nil {
		return "", Differ("it is signed by another key, %s", by)
	}
	return by, nil
}

// CheckSigners returns what is wrong with a file of public keys.
func CheckSigners(path string) error {
	_, err := allowedSigners(path)
	return err
}

// allowedSigners returns the public keys of a file as ssh-keygen takes them.
func allowedSigners(path string) (keys string, err error) {
	text, err := readBounded(path)
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		if publicKey.MatchString(line) {
			fmt.Fprintf(&lines, "signer %s\n", strings.TrimSpace(line))
		}
	}
	if lines.Len() == 0 {
		return "", fmt.Errorf("%s holds no SSH public key (a file such as id_ed25519.pub)", path)
	}
	return lines.String(), nil
}

// readBounded reads a small regular file.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSignature {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", path, mostSignature)
	}
	return os.ReadFile(path)
}
