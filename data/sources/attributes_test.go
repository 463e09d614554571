package sources

import (
	"fmt"
	"strings"
	"testing"

	"compqa/data"
)

// TestKnownColumns checks that columns that programs add are not criteria, and that two columns named with words for values are one
// criterion.
func TestKnownColumns(t *testing.T) {
	for _, c := range []struct {
		header, row string // %[1]d is the row, %[2]d a value, %[3]d another value
		people      bool
		names       []string // criteria of the other side
		want        string   // expected criteria and raters
	}{
		{"prompt_id,prompt,response,judge_score,oracle_label", "p%[1]d,Why %[1]d?,Because %[1]d.,%[2]d,%[3]d", false, nil, "score by a"},
		{"prompt_id,prompt,response,judge_score,oracle_label", "p%[1]d,Why %[1]d?,Because %[1]d.,%[2]d,%[3]d", true, nil, "score by a"},
		{"id,automated_verdict,human_label", "%[1]d,%[2]d,%[3]d", true, nil, "score by a"},
		{"id,llm_clear,human_clear,llm_kind,human_kind", "%[1]d,%[2]d,%[3]d,%[3]d,%[2]d", true, nil, "clear by a, kind by a"},
		{"record_id,redcap_event_name,redcap_repeat_instance,rater,quality,form_timestamp,form_complete",
			"%[1]d,e%[3]d,%[3]d,r,%[2]d,2025-01-01,%[3]d", true, nil, "quality by r"},
		{"HITId,WorkerId,AssignmentStatus,Input.id,Answer.quality,Reward,Approve", "H%[1]d,w,Approved,%[1]d,%[2]d,$0.%[3]d,x", true,
			[]string{"quality"}, "quality by w"},
		{"id,annotator,quality,rationale,cost_usd,date,created_at,time_spent", "%[1]d,ann,%[2]d,good %[3]d,0.00%[3]d,2025-11-0%[3]d,0%[3]d.11.2025,%[2]d",
			true, []string{"quality"}, "quality by ann"},
		{"id,quality,rationale,cost_usd,judged_on", "%[1]d,%[2]d,fine %[3]d,0.00%[3]d,11/0%[3]d/2025", false, nil, "quality by a"},
		{"id,a.quality,b.quality", "%[1]d,%[2]d,%[3]d", true, []string{"quality"}, "quality by a, quality by b"},
	} {
		text := c.header + "\n"
		for i := range 24 {
			text += fmt.Sprintf(c.row, i+1, 1+(i*7/3)%5, 1+i%3) + "\n"
		}
		file := write(t, "a.csv", text)
		o := Options{People: c.people, Names: c.names}
		if strings.Contains(c.header, "human_") || strings.Contains(c.header, "oracle") {
			o.Other = []string{file}
		}
		log, err := Read(file, o)
		if err != nil {
			t.Errorf("%s: %v", c.header, err)
			continue
		}
		var got []string
		known := map[data.Series]bool{}
		for _, s := range log.Values.All() {
			if !known[s.Series] {
				known[s.Series] = true
				got = append(got, s.ID+" by "+s.Rater.Name)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", c.header, strings.Join(got, ", "), c.want)
		}
	}
}
