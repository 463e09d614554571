package annotate

import (
	"strings"
	"testing"

	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// TestFlags: sheets of people with flags are imported only if the caller says so.
func TestFlags(t *testing.T) {
	people := []pages.Person{{Annotator: project.Annotator{Name: "ann"}}, {Annotator: project.Annotator{Name: "ben"}, Alerts: []string{"too fast: 2 s an item"}}}
	for _, test := range []struct {
		without []string
		include bool
		wrong   string
	}{{nil, false, "ben: look at the flags first"}, {nil, true, ""}, {[]string{"ben"}, false, ""}, {[]string{"bem"}, true, `there is no person "bem"`}} {
		var out strings.Builder
		err := flags(&out, people, test.without, test.include)
		if (err != nil) != (test.wrong != "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%v: %v, want %q", test, err, test.wrong)
		}
		if shown := strings.Contains(out.String(), "ben: too fast: 2 s an item"); shown != (test.without == nil) {
			t.Errorf("%v: %s", test, out.String())
		}
	}
}
