package shell

import (
	"compqa/data/sharedtest"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// luminance returns the relative luminance of a colour (WCAG 2.1).
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

// TestContrast: text has a contrast of at least 4.5 in both colour schemes.
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
			a := colour[pair[0]]
			b := colour[pair[1]]
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%v: %.2f", pair, ratio)
			}
		}
	}
}

// FuzzMarkdown: whatever a model writes, the page has only tags of the renderer, and none of them has an address.
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

// TestSlowClient: clients that send a request slowly or send endless headers are disconnected, while other clients are served.
func TestSlowClient(t *testing.T) {
	if !sharedtest.Soaking(t) {
		t.Skip("SKIPPED: a long test; `make soak` runs it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, l, Secure(nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); w.Write([]byte("page")) })))
	}()
	slow, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	began := time.Now()
	go func() { // sends until it is disconnected
		for {
			if _, err := slow.Write([]byte("G")); err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	reply, err := http.Get("http://" + l.Addr().String())
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", reply, err)
	}
	slow.SetReadDeadline(time.Now().Add(time.Minute))
	io.Copy(io.Discard, slow)
	if took := time.Since(began); took > 14*time.Second { // its header may take 5 s, as a whole request may take 15 s
		t.Errorf("a slow client is cut off after %s", took)
	}
	large, _ := http.NewRequest("GET", "http://"+l.Addr().String(), nil)
	large.Header.Set("X", strings.Repeat("x", 1<<20))
	if reply, err := http.DefaultClient.Do(large); err == nil && reply.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of a megabyte: %d", reply.StatusCode)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSoakSlowClient is TestSlowClient with all cases.
func TestSoakSlowClient(t *testing.T) {
	sharedtest.Soak(t)
	TestSlowClient(t)
}
