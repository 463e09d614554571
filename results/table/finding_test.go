package table

import (
	"encoding/json"
	"testing"

	"compqa/stats"
)

// In JSON, findings are a list, even if there are none; so are their figures. A missing bound is null.
func TestFindingsInJSON(t *testing.T) {
	for want, all := range map[string]Findings{
		`[]`: nil,
		`[{"claim":"c","subject":"s","text":"T.","figures":[],"next":""}]`: {{Claim: "c", Subject: "s", Text: "T."}},
		`[{"claim":"c","subject":"s","text":"T.","figures":[{"name":"a","value":1,"low":null,"high":null}],"next":"n"}]`: {{Claim: "c", Subject: "s",
			Text: "T.", Figures: []Measured{Named("a", stats.Number(1))}, Next: "n"}},
	} {
		got, err := json.Marshal(all)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
