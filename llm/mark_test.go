package llm

import (
	"fmt"
	"testing"
)

func TestUnusedMark(t *testing.T) {
	candidate := func(try int) string { return fmt.Sprintf("mark%d", try) }
	if got := firstUnused([]string{"has mark0 and mark1", "and mark2"}, candidate); got != "mark3" {
		t.Errorf("firstUnused = %s; want mark3, the first that occurs in no text", got)
	}
	if got := firstUnused(nil, candidate); got != "mark0" {
		t.Errorf("firstUnused = %s; want mark0", got)
	}
}
