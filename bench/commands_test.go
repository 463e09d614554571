package bench

import (
	"strings"
	"testing"
)

// TestKeysPage: the page of keys is generated from the schema and listed, and a search finds its parts.
func TestKeysPage(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{"keys": "\n## An entry of pairwise\n", "": "  keys  ", "api_key_header": "keys: An entry of providers\n"} {
		if code, stdout, stderr := compqa(append([]string{"docs"}, strings.Fields(query)...)...); code != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("docs %s: exit %d, no %q in %s%s", query, code, want, stdout, stderr)
		}
	}
}
