package data

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MostListed is the largest number of entries of a BoundedList.
const MostListed = 400_000

// A BoundedList is a list of limited length, for JSON from others. It is refused before it takes much memory: an entry {} has 2 bytes as
// text, but hundreds as a struct.
type BoundedList[T any] []T

// UnmarshalJSON reads a list of at most MostListed entries.
func (list *BoundedList[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	start, err := d.Token()
	if err != nil || start == nil { // null is an empty list
		return err
	}
	if start != json.Delim('[') {
		return fmt.Errorf("a list is needed, not %v", start)
	}
	for d.More() {
		if len(*list) == MostListed {
			return fmt.Errorf("a list has more than %d entries", MostListed)
		}
		var entry T
		if err := d.Decode(&entry); err != nil {
			return err
		}
		*list = append(*list, entry)
	}
	return nil
}
