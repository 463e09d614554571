package shell

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// luminance is the relative luminance of a colour (WCAG 2.1).
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		x := float64(n) / 255
		if x <= 0.04045 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		sum += weight * x
	}
	return sum
}

// Text has a contrast of at least 4.5 in both colour schemes.
func TestContrast(t *testing.T) {
	palettes := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(string(Style), -1)
	if len(palettes) != 2 {
		t.Fatalf("%d palettes", len(palettes))
	}
	for _, p := range palettes {
		colour := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(p[1], -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		for _, pair := range [][2]string{{"text", "back"}, {"text", "soft"}, {"quiet", "back"}, {"accent", "back"}, {"warn", "back"}, {"on-accent", "accent"}} {
			a, b := colour[pair[0]], colour[pair[1]]
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%v: %.2f", pair, ratio)
			}
		}
	}
}

// FuzzMarkdown: whatever a model writes, only the renderer's own tags are on the page, and
// none of them has an address.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"**b** [x](javascript:alert(1)) ![i](http://e/x.png) <http://e>", "<script>1</script>", "<svg/onload=x>\n\n<!-- c -->", "| a |\n|---|\n| <b onclick=x> |", "[r]: http://e 'x\" onload=y'\n\n[r]", "```<script>\nx\n```", "\u202Ea\u2066", "<a\nhref=x>", "&lt;script&gt;"} {
		f.Add(s)
	}
	tag := regexp.MustCompile(`<[^>]*>`)
	allowed := regexp.MustCompile(`^</?(p|strong|em|del|ul|ol( start="\d+")?|li|h[1-6]|pre|code( class="language-[^"<>]*")?|blockquote|hr|br|table|thead|tbody|tr|t[hd]( align="(left|right|center)")?|t[hd]( style="text-align:(left|right|center)")?|span)>$`)
	f.Fuzz(func(t *testing.T, s string) {
		html, err := Markdown(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range tag.FindAllString(string(html), -1) {
			if !allowed.MatchString(strings.ReplaceAll(found, " /", "")) {
				t.Errorf("%q renders %q", s, found)
			}
		}
		if strings.ContainsAny(string(html), "\u202E\u2066") {
			t.Errorf("%q: invisible characters remain", s)
		}
	})
}
