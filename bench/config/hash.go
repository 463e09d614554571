package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// HashOf returns the hexadecimal SHA-256 of values by their JSON, which is a list.
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

// HashOfList returns HashOf(list) of a list of n items, of which only one at a time is held as JSON.
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

// Encoded returns a value's JSON; what is hashed many times is encoded once.
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
