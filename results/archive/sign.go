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

// A signature of an export is a file next to it. ssh-keygen -Y makes and checks signatures, as it does for git.
const (
	// SignatureSuffix is appended to the name of an export to give the name of its signature.
	SignatureSuffix = ".sig"
	// Namespace distinguishes signatures of exports from signatures that the same key made for other purposes.
	Namespace = "compqa-export"

	keygen        = "ssh-keygen"
	mostSignature = 64 << 10 // bytes
)

// ErrNoKeygen is the error if ssh-keygen is not installed, so that signatures can be neither made nor checked.
var ErrNoKeygen = errors.New("signatures need ssh-keygen (OpenSSH 8.2 or later), which is not installed here")

var (
	fingerprint = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)
	publicKey   = regexp.MustCompile(`^(ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/=]+`)
)

// sshKeygen runs ssh-keygen -Y and returns what it prints. If input is not "", it is the path of a file that ssh-keygen reads as standard
// input. If ssh-keygen fails, the error is the first line that it printed, or ErrNoKeygen if it is not installed.
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

// Sign signs an export with the private key in the file key, and returns the path of the signature, which lies next to the export. It
// replaces an earlier signature. ssh-keygen asks for a passphrase on the terminal.
func Sign(file, key string) (path string, err error) {
	path = file + SignatureSuffix
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err // otherwise ssh-keygen asks whether to replace the file
	}
	if _, err = sshKeygen("", "sign", "-q", "-n", Namespace, "-f", key, file); err != nil {
		return "", fmt.Errorf("%s cannot sign: %w", key, err)
	}
	return path, nil
}

// CheckKey checks, before an export is made, that ssh-keygen is installed and that a file holds an SSH key. The file may hold a public key,
// whose private key an agent has.
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

// SignedBy returns the fingerprint of the key that signed an export, or "" if the export is not signed. If signers is not "", it names a
// file of public keys; a missing signature, or one by any other key, is an ErrDifference. If signers is "", any key may have signed, and
// the result also says that the key was not compared, or not read because ssh-keygen is not installed. A signature of another file is an
// ErrDifference.
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

// CheckSigners returns an error if a file cannot be read or holds no SSH public key.
func CheckSigners(path string) error {
	_, err := allowedSigners(path)
	return err
}

// allowedSigners returns the public keys in a file, in the format of ssh-keygen's allowed-signers files.
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

// readBounded reads a regular file of at most mostSignature bytes.
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
