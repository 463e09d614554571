package data

import "testing"

// TestChoices checks that each way to derive a choice gives a, b, tie, or "" if the choice is unknown.
func TestChoices(t *testing.T) {
	favouring := func(list ...Favours) (q Question) {
		for _, f := range list {
			q.Arguments = append(q.Arguments, Argument{Favours: f})
		}
		return q
	}
	rows := func(list ...Favours) *ContrastTable {
		var contrasts ContrastTable
		for _, f := range list {
			contrasts.Rows = append(contrasts.Rows, ContrastRow{Kind: RowContrast, Favours: string(f)})
		}
		return &contrasts
	}
	second := func(int) int { return -1 }
	for _, c := range []struct {
		name      string
		got, want Choice
	}{
		{"more for a", Greater(2, 1), ChoiceA},
		{"more for b", Greater(.1, .2), ChoiceB},
		{"equally much", Greater(0, 0), ChoiceTie},
		{"both orders agree", BothOrders(ChoiceB, ChoiceB), ChoiceB},
		{"the order changes the choice", BothOrders(ChoiceA, ChoiceB), ChoiceTie},
		{"a tie in one order", BothOrders(ChoiceA, ChoiceTie), ChoiceTie},
		{"arguments for the first object", favouring(Object1, Neither, Object1, Object2).Favoured(nil), ChoiceA},
		{"arguments for the second object", favouring(Object2).Favoured(nil), ChoiceB},
		{"balanced arguments", favouring(Object1, Object2).Favoured(nil), ChoiceTie},
		{"arguments for neither object", favouring(Neither).Favoured(nil), ChoiceTie},
		{"arguments that name no object", favouring("", "").Favoured(nil), ""},
		{"no arguments", favouring().Favoured(nil), ""},
		{"arguments that are read", favouring(Object1, "", "").Favoured(second), ChoiceB},
		{"rows for the first object", rows(Object1, Object1, Object2).Choice(), ChoiceA},
		{"rows for the second object", rows(Object2, Neither, Neither).Choice(), ChoiceB},
		{"as many rows for each", rows(Object1, Object2, Neither).Choice(), ChoiceTie},
		{"as many rows, more votes", rows(Object1, Object2, Neither).Weighed(0, -2), ChoiceB},
		{"rows before votes", rows(Object1, Object1, Object2).Weighed(1, -2), ChoiceA},
		{"too few rows", rows(Object1, Object1).Choice(), ""},
		{"rows that do not say whom they favour", rows(Object1, Object1, "").Choice(), ""},
		{"swapped", Object2.Choice().Swapped(), ChoiceA},
		{"a tie swapped", Neither.Choice().Swapped(), ChoiceTie},
		{"unknown", Favours("").Choice(), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	for _, f := range []Favours{Object1, Object2, Neither, ""} {
		if got := f.Choice().Favours(); got != f {
			t.Errorf("%q is %q after both ways", f, got)
		}
	}
	if got := ChoiceTie.Named("tea", "coffee", "neither"); got != "neither" {
		t.Errorf("a tie is named %q", got)
	}
}
