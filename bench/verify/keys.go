package verify

import (
	"encoding/json"

	"compqa/bench/config"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/rubric"
)

// checkKeys checks the keys in the configurations and rubrics on record. A key that occurs twice is a difference, because no program writes
// it. A key that this version does not know may come from another version, and is listed.
func (c *Recheck) checkKeys() error {
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

// unknownKeys lists the keys of a JSON text that are ignored when it is parsed into the value into.
func (c *Recheck) unknownKeys(what, text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return archive.Differ("the recorded %s cannot be parsed: %w", what, err)
	}
	unknown, err := data.UnknownKeys([]byte(text), into)
	if err != nil {
		return archive.Differ("the recorded %s cannot be used: %w", what, err)
	}
	c.notKnown("the recorded "+what, unknown)
	return nil
}

// notKnown lists keys of a file that this version does not know.
func (c *Recheck) notKnown(file string, keys []string) {
	for _, key := range keys {
		c.rests.add("key", file, 1, "%s: this version does not know it, and nothing was computed from it", key)
	}
}
