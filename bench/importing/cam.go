package importing

import (
	"fmt"

	"compqa/data"
	"compqa/data/sources"
)

// Account describes what was read from a checkout of cam-arg-relevance, and what was written.
func Account(dir, out string, cam sources.CAM) string {
	kept, without := 0, 0
	for _, q := range cam.Questions {
		kept += len(q.Arguments)
		if len(q.Arguments) == 0 {
			without++
		}
	}
	return fmt.Sprintf("%s: %s with %s, of which %d have no text and %d repeat a text of their pair\n", dir,
		data.Plural(cam.Pairs, "object pair", "object pairs"), data.Plural(cam.Arguments, "argument", "arguments"), cam.Empty, cam.Repeated) +
		fmt.Sprintf("%s: %s with %s; %d have none\n", out, data.Plural(len(cam.Questions), "question", "questions"),
			data.Plural(kept, "argument", "arguments"), without)
}
