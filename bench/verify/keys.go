package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/rubric"
)

// keys looks at the keys of the configurations and rubrics on record: this version uses none but its own. A key that occurs twice
// is a difference, because no program writes one; an unknown one may be of another version, and is named.
func (c *Recheck) keys() error {
	runs, err := c.db.Runs()
	if err != nil {
		return err
	}
	for _, made := range runs {
		if err := c.unknownKeys("configuration", made.Config, new(config.Config)); err != nil {
			return err
		}
		if made.Part == store.PartAnswers {
			if err := c.unknownKeys("rubric", made.Rubric, new(rubric.Rubric)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknownKeys adds the keys of a JSON text that parsing it into a value leaves out.
func (c *Recheck) unknownKeys(what, text string, into any) error {
	recorded, twice, err := keysIn(text)
	switch {
	case err != nil:
		return archive.Differ("the recorded %s cannot be parsed: %w", what, err)
	case twice != "":
		return archive.Differ("the recorded %s has the key %s twice", what, twice)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return archive.Differ("the recorded %s cannot be parsed: %w", what, err)
	}
	known, _, err := keysIn(string(config.Encoded(into)))
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		above := key[:max(0, strings.LastIndexByte(key, '.'))]
		if !known[key] && (above == "" || known[above]) {
			c.rests.add("key", "the recorded "+what, 1, "%s: this version does not know it, and nothing was computed from it", key)
		}
	}
	return nil
}

// keysIn are the paths of all keys of a JSON text whose values are not empty, and the first key that an object has twice.
func keysIn(text string) (keys map[string]bool, twice string, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	keys = map[string]bool{}
	twice, _, err = collectKeys(d, "", keys)
	return keys, twice, err
}

// collectKeys reads one value, and adds the keys in it below a path. filled is false for null, false, 0 and what is empty,
// which encoding a configuration leaves out.
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
	for i := 0; d.More(); i++ {
		below := fmt.Sprintf("%s[%d]", path, i)
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
		if has {
			keys[below] = true
		}
		filled = filled || has
	}
	_, err = d.Token()
	return twice, filled, err
}
