package bench

import (
	"strings"
	"testing"

	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// TestPersonFlags: if people have flags, apply stops, unless --include-flagged or --exclude says what to do with their sheets.
func TestPersonFlags(t *testing.T) {
	t.Parallel()
	people := []pages.Person{{Annotator: project.Annotator{Name: "ann"}}, {Annotator: project.Annotator{Name: "ben"}, Alerts: []string{"too fast: 2 s an item"}}}
	for _, test := range []struct {
		without []string
		include bool
		wrong   string
	}{{nil, false, "ben: look at the flags first"}, {nil, true, ""}, {[]string{"ben"}, false, ""}, {[]string{"bem"}, true, `there is no person "bem"`}} {
		var out strings.Builder
		err := printFlags(&out, people, test.without, test.include)
		if (err != nil) != (test.wrong != "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%v: %v, want %q", test, err, test.wrong)
		}
		if shown := strings.Contains(out.String(), "ben: too fast: 2 s an item"); shown != (test.without == nil) {
			t.Errorf("%v: %s", test, out.String())
		}
	}
}

// TestMaskNames: the names of models, of the run's systems and of mask-names are masked in answers. Other words stay.
func TestMaskNames(t *testing.T) {
	t.Parallel()
	text := "I am Qwen2.5-72B, not DeepSeek-V3, Grok, Gemma 2, Copilot, House-1 or Nimbus Pro. A template."
	items := []project.Item{{Content: project.Content{A: text, B: "Nothing."}}}
	if n := maskNames(items, []string{"House-1", "Nimbus Pro"}, false); n != 1 || items[0].Content.A != text {
		t.Errorf("%d items, %s", n, items[0].Content.A)
	}
	maskNames(items, []string{"House-1", "Nimbus Pro"}, true)
	if want := "I am [model], not [model], [model], [model] 2, [model], [model] or [model]. A template."; items[0].Content.A != want {
		t.Errorf("%s", items[0].Content.A)
	}
}

// TestMaskNamesOfOtherScripts: a name is a whole word if no letter of the same script is next to it, or if the script has no spaces. Parts
// of longer words stay.
func TestMaskNamesOfOtherScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Я — Алиса. Алисам привет, Алиса-2!":   "Я — [model]. Алисам привет, [model]-2!",
		"我是通义千问模型":                             "我是[model]模型",
		"我是ChatGPT模型。ChatGPT는":                 "我是[model]模型。[model]는",
		"Λίνα, Λίναμ, ΛΊΝΑ":                    "[model], Λίναμ, [model]",
		"Claudette Groks. grok grok grok Élan": "Claudette Groks. [model] [model] [model] [model]",
		"Éland, Jan Élan":                      "Éland, Jan [model]",
		"أنا جيس، جيسون":                       "أنا [model]، جيسون",
	} {
		items := []project.Item{{Content: project.Content{A: text}}}
		maskNames(items, []string{"Алиса", "通义千问", "Λίνα", "Élan", "جيس"}, true)
		if items[0].Content.A != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, items[0].Content.A, want)
		}
	}
}
