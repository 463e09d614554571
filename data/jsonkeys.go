package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// UnknownKeys returns the keys of a JSON text that were ignored when it was read into value: they are not in the JSON of value. Unknown
// keys with empty values do not count. A key that an object has twice is an error. So is a key that differs from a known key only in upper
// and lower case: encoding/json reads it as the known one.
func UnknownKeys(text []byte, value any) (unknown []string, err error) {
	encoded, err := json.Marshal(value)
	if err != nil || bytes.Equal(encoded, text) {
		return nil, err
	}
	there, twice, err := keysIn(text)
	if err == nil && twice != "" {
		err = fmt.Errorf("it has the key %s twice", twice)
	}
	if err != nil {
		return nil, err
	}
	known, _, err := keysIn(encoded)
	if err != nil {
		return nil, err
	}
	small := map[string]string{}
	for _, keys := range []map[string]bool{there, known} {
		for key := range keys {
			small[strings.ToLower(key)] = key
		}
	}
	for _, key := range slices.Sorted(maps.Keys(there)) {
		above := key[:max(0, strings.LastIndexByte(key, '.'))]
		_, is := known[key]
		_, inside := known[above]
		if is || above != "" && !inside {
			continue
		}
		if other := small[strings.ToLower(key)]; other != key {
			return nil, fmt.Errorf("it has the key %s, which is read as %s", key, other)
		}
		if there[key] {
			unknown = append(unknown, key)
		}
	}
	return unknown, nil
}

// keysIn returns the paths of all keys in a JSON text; the value is true if the key has a value that is not empty. twice is the first key
// that an object has twice, or "". The objects of a list share one path.
func keysIn(text []byte) (keys map[string]bool, twice string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	keys = map[string]bool{}
	twice, _, err = collectKeys(d, "", keys)
	return keys, twice, err
}

// collectKeys reads one value, and adds the keys in it, below a path. filled is false for null, false, 0 and empty values, which
// encoding/json leaves out with omitempty.
func collectKeys(d *json.Decoder, path string, keys map[string]bool) (twice string, filled bool, err error) {
	token, err := d.Token()
	if err != nil {
		return "", false, err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return "", token != nil && token != false && token != "" && token != json.Number("0"), nil
	}
	seen := map[string]bool{}
	for d.More() {
		below := path + "[]"
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return "", false, err
			}
			below = strings.TrimPrefix(fmt.Sprintf("%s.%v", path, name), ".")
			if seen[below] && twice == "" {
				twice = below
			}
			seen[below] = true
		}
		deeper, has, err := collectKeys(d, below, keys)
		if err != nil {
			return "", false, err
		}
		if twice == "" {
			twice = deeper
		}
		keys[below] = keys[below] || has
		filled = filled || has
	}
	_, err = d.Token()
	return twice, filled, err
}
