package archive

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/crypto/ssh"

	"compqa/results/table"
)

// A signature is a file beside an export, in the format of ssh-keygen -Y sign (PROTOCOL.sshsig of
// OpenSSH), so that both programs make and check it.
const (
	// SignatureSuffix is what the name of a signature adds to that of its export.
	SignatureSuffix = ".sig"
	// Namespace keeps signatures of exports apart from others by the same key.
	Namespace = "compqa-export"

	signatureMagic   = "SSHSIG"
	signatureBlock   = "SSH SIGNATURE"
	signatureHash    = "sha512"
	mostSignature    = 64 << 10 // bytes
	signatureVersion = 1
)

// A signed is what a key signs.
type signed struct {
	Namespace, Reserved, Hash string
	Sum                       []byte
}

// A signatureBlob is the content of a signature, after its magic.
type signatureBlob struct {
	Version                   uint32
	Key                       []byte
	Namespace, Reserved, Hash string
	Signature                 []byte
}

// signedData is the text that is signed for a file.
func signedData(file string) ([]byte, error) {
	h := sha512.New()
	if _, err := copyFile(h, file); err != nil {
		return nil, err
	}
	return append([]byte(signatureMagic), ssh.Marshal(signed{Namespace: Namespace, Hash: signatureHash, Sum: h.Sum(nil)})...), nil
}

func ReadSigner(path string) (ssh.Signer, error) {
	text, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePrivateKey(text)
	if errors.As(err, new(*ssh.PassphraseMissingError)) {
		err = fmt.Errorf("%s is protected by a passphrase: sign the export with `ssh-keygen -Y sign -n %s -f %s FILE`, which writes the same "+
			"signature", path, Namespace, path)
	} else if err != nil {
		err = fmt.Errorf("%s is not an SSH private key", path) // without words of the parser about its content
	}
	return key, err
}

// Sign writes the signature of an export beside it and returns its path.
func Sign(file string, key ssh.Signer) (path string, err error) {
	content, err := signedData(file)
	if err != nil {
		return "", err
	}
	var s *ssh.Signature
	if of, is := key.(ssh.AlgorithmSigner); is && key.PublicKey().Type() == ssh.KeyAlgoRSA {
		s, err = of.SignWithAlgorithm(rand.Reader, content, ssh.KeyAlgoRSASHA512)
	} else {
		s, err = key.Sign(rand.Reader, content)
	}
	if err != nil {
		return "", fmt.Errorf("signing %s: %w", file, err)
	}
	blob := signatureBlob{signatureVersion, key.PublicKey().Marshal(), Namespace, "", signatureHash, ssh.Marshal(s)}
	block := &pem.Block{Type: signatureBlock, Bytes: append([]byte(signatureMagic), ssh.Marshal(blob)...)}
	path = file + SignatureSuffix
	return path, table.WriteFile(path, func(w io.Writer) error { return pem.Encode(w, block) })
}

// SignedBy is the key of an export's signature, which fits the export; nil: there is no signature.
func SignedBy(file string) (ssh.PublicKey, error) {
	text, err := readBounded(file + SignatureSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	wrong := func(what string) error { return Differ("%s%s %s", file, SignatureSuffix, what) }
	block, _ := pem.Decode(text)
	if block == nil || block.Type != signatureBlock || len(block.Bytes) < len(signatureMagic) ||
		string(block.Bytes[:len(signatureMagic)]) != signatureMagic {
		return nil, wrong("is not an SSH signature")
	}
	var blob signatureBlob
	var s ssh.Signature
	if err := errors.Join(ssh.Unmarshal(block.Bytes[len(signatureMagic):], &blob), ssh.Unmarshal(blob.Signature, &s)); err != nil {
		return nil, wrong("is damaged")
	}
	if blob.Version != signatureVersion || blob.Namespace != Namespace || blob.Hash != signatureHash || s.Format == ssh.KeyAlgoRSA {
		return nil, wrong(fmt.Sprintf("is not a signature of the namespace %s with %s", Namespace, signatureHash))
	}
	key, err := ssh.ParsePublicKey(blob.Key)
	if err != nil {
		return nil, wrong("has no readable key")
	}
	content, err := signedData(file)
	if err != nil {
		return nil, err
	}
	if key.Verify(content, &s) != nil {
		return nil, wrong("is of another file")
	}
	return key, nil
}

// ReadPublicKeys reads the SSH public keys in a file, one a line.
func ReadPublicKeys(path string) (keys []ssh.PublicKey, err error) {
	text, err := readBounded(path)
	for err == nil && len(text) > 0 {
		var key ssh.PublicKey
		if key, _, _, text, err = ssh.ParseAuthorizedKey(text); err == nil {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		return keys, nil // what follows are comments
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return nil, fmt.Errorf("%s holds no SSH public key (a file such as id_ed25519.pub)", path)
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
