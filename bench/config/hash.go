package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// HashOf returns the hexadecimal SHA-256 of the JSON list of the values.
func HashOf(values ...any) string {
	list := []byte("[")
	for i, v := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, Encoded(v)...)
	}
	sum := sha256.Sum256(append(list, ']'))
	return hex.EncodeToString(sum[:])
}

// HashOfList returns what HashOf(list) returns for a list of n items, but holds only one item's JSON in memory at a time.
func HashOfList(n int, item func(i int) any) string {
	sum := sha256.New()
	sum.Write([]byte("[["))
	for i := range n {
		if i > 0 {
			sum.Write([]byte(","))
		}
		sum.Write(Encoded(item(i)))
	}
	sum.Write([]byte("]]"))
	return hex.EncodeToString(sum.Sum(nil))
}

// Encoded returns the JSON of a value. A json.RawMessage is returned as it is, so that a value that is hashed often is encoded once. It
// panics if a value has no JSON.
func Encoded(value any) json.RawMessage {
	if text, already := value.(json.RawMessage); already {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", value, err)) // only types that JSON holds come here
	}
	return text
}
