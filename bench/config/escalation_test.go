package config

import (
	"strings"
	"testing"

	"compqa/results/store"
)

// TestLabelPrice: the price of a label must be above 0, as for validate --label-price. Without the key, the price is unknown.
func TestLabelPrice(t *testing.T) {
	judges := []Judge{{Asks: store.KindVerdict, Entry: Entry{Name: "a"}}, {Asks: store.KindVerdict, Entry: Entry{Name: "b"}}}
	zero := 0.0
	half := .5
	for _, test := range []struct {
		price *float64
		wrong bool
	}{{nil, false}, {&half, false}, {&zero, true}} {
		c := Config{Judges: judges, Escalate: &Escalation{Judges: []string{"a", "b"}, LabelPrice: test.price}}
		err := c.checkEscalation()
		if wrong := err != nil; wrong != test.wrong || wrong && !strings.Contains(err.Error(), "label_price is 0; ") {
			t.Errorf("%v: %v", test.price, err)
		}
	}
}
