package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

// A text that is shared makes no difference to what is asked, wherever it ends.
func TestSharedText(t *testing.T) {
	const short = "a \"b\" <c>\n\u2028 \\ ü \xff\xc3 d"
	long := strings.Repeat("A task of many words. ", 400)
	for at := range len(short) + 1 {
		testSharedText(t, short, at)
		testSharedText(t, long+short, len(long)+at)
	}
	testSharedText(t, long, 4<<10)
}

func testSharedText(t *testing.T, text string, at int) {
	t.Helper()
	{
		whole := Request{Model: "m", Messages: []Message{{Role: "system", Content: text}, {Role: "user", Content: "B"}}}
		split := Request{Model: "m", Messages: []Message{{Role: "system", Shared: text[:at], Content: text[at:]}, {Role: "user", Shared: "B"}}}
		a, keyA, errA := whole.Canonical(1)
		b, keyB, errB := split.Canonical(1)
		if strings.Join(a, "") != strings.Join(b, "") || keyA != keyB || errA != nil || errB != nil {
			t.Errorf("shared up to %d: %s (%v), not %s (%v)", at, b, errB, a, errA)
		}
		encoded, _ := json.Marshal(text)
		if !strings.Contains(strings.Join(a, ""), `{"role":"system","content":`+string(encoded)+`}`) {
			t.Errorf("asked: %s", a)
		}
	}
}
