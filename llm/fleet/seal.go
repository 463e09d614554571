package fleet

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeyEnv names the environment variable with the key that runs and workers share. The key is never in the database.
const KeyEnv = "COMPQA_FLEET_KEY"

// leastKey is the length of the shortest accepted key, in characters.
const leastKey = 32

// A sealer encrypts and authenticates calls and replies with the fleet's key (AES-256-GCM, NIST SP 800-38D). Whoever can read and write the
// database can neither read nor forge them.
type sealer struct {
	cipher.AEAD
	key []byte
}

// ErrKey is the error of a missing or short key.
var ErrKey = errors.New("runs and workers of a queue need a key in common: set " + KeyEnv +
	fmt.Sprintf(" to the same secret of at least %d characters on all machines (openssl rand -hex 32)", leastKey))

// newSealer returns the sealer of a key.
func newSealer(key string) (sealer, error) {
	if len(strings.TrimSpace(key)) < leastKey {
		return sealer{}, ErrKey
	}
	sum := sha256.Sum256([]byte("compqa fleet\n" + strings.TrimSpace(key)))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return sealer{}, err
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	return sealer{gcm, sum[:]}, err
}

// The kinds of sealed content. Content is bound to one run, call and queue, and is refused for any other.
const (
	sealedCall  = "call"
	sealedReply = "reply"
)

// seal encrypts content for a run, call and queue.
func (s sealer) seal(what, run, key, queue string, content []byte) []byte {
	return s.Seal(nil, nil, content, label(what, run, key, queue))
}

// decrypt decrypts content. It returns an error if the content was not sealed with the key for this run, call and queue.
func (s sealer) decrypt(what, run, key, queue string, content []byte) ([]byte, error) {
	text, err := s.Open(nil, nil, content, label(what, run, key, queue))
	if err != nil {
		return nil, fmt.Errorf("the %s in the queue was not written with this fleet's key (%s)", what, KeyEnv)
	}
	return text, nil
}

// label returns the data that binds sealed content to these names.
func label(names ...string) []byte { return fmt.Appendf(nil, "%q", names) }

// identity returns a name for a secret, which does not reveal the secret.
func (s sealer) identity(secret string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
