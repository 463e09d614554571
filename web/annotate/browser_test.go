package annotate

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"compqa/web/annotate/project"
)

// chromium starts a browser. Without one the test is skipped, and fails in CI.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is missing: apt-get install chromium")
		}
		t.Skip("SKIPPED: chromium is missing; the pages are not tested in a browser (apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(stop)
	return ctx
}

// Two people score by keyboard alone, and the owner sees their agreement: no error on the
// console, no violation of the policy, no page wider than the screen, and no attack works.
func TestKeyboard(t *testing.T) {
	n := 2
	if os.Getenv("COMPQA_SOAK") != "" {
		n = 12
	}
	all := chromium(t)
	p, _ := newProject(t, n, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	ctx, stop := chromedp.NewContext(all)
	defer stop()
	var faults []string
	if err := chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			faults = append(faults, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
				faults = append(faults, e.Entry.Text+" "+e.Entry.URL)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	run := func(actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, actions...); err != nil {
			t.Fatal(err)
		}
	}
	for k, name := range []string{"anna", "ben"} {
		token := invite(t, p, name)
		run(chromedp.Navigate(server.URL+"/a/"+token), chromedp.WaitVisible("button"), chromedp.Click("button"), chromedp.WaitVisible("fieldset"))
		if k == 0 {
			shoot(t, ctx, "check", 1280, false)
		}
		questions, err := s.questions()
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range questions {
			run(chromedp.Click(fmt.Sprintf(`input[name=q%d][value="%s"]`, i, q.right)))
		}
		run(chromedp.Click("button.main"), chromedp.WaitVisible("#sheet"))
		for i := range n {
			if k == 0 && i == 0 {
				for _, width := range []int64{320, 1280} {
					for _, dark := range []bool{false, true} {
						shoot(t, ctx, "score", width, dark)
					}
				}
			}
			before, err := chromedp.Run(ctx, chromedp.Location())
			if err != nil {
				t.Fatal(err)
			}
			for j, c := range p.Rubric.Criteria {
				digit := points(c.Max())
				if j == 0 && (i+k)%2 == 0 {
					digit = "0"
				}
				run(chromedp.KeyEvent(digit))
				if j == 0 && (i+k)%2 == 0 {
					run(chromedp.KeyEvent("."))
				}
			}
			if i == 0 {
				run(chromedp.KeyEvent("m"))
			}
			run(chromedp.KeyEvent("\r"))
			until(t, ctx, fmt.Sprintf(`location.href !== %q && (document.title === "Done" || document.querySelector("fieldset.here") !== null)`, before))
		}
		run(chromedp.WaitVisible(`form[action="/undo"]`))
	}
	run(chromedp.Navigate(server.URL+s.OwnerPath()), chromedp.WaitVisible("button"), chromedp.Click("button"), chromedp.WaitVisible("table"))
	text, err := chromedp.Run(ctx, chromedp.Text("main"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, fmt.Sprintf("totals\t%d\t", n)) {
		t.Errorf("the owner's page:\n%s", text)
	}
	for _, width := range []int64{320, 1280} {
		for _, dark := range []bool{false, true} {
			shoot(t, ctx, "owner", width, dark)
		}
	}
	work, err := p.Work()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		if !w.Done() || w.Active == 0 || w.Name == "anna" && w.Position == 1 && w.Last.View != "both" {
			t.Errorf("%+v", w)
		}
		if x := w.Last.Sheet.Scores["1"]; x != 0.5 && x != 1 {
			t.Errorf("criterion 1 has %v points", x)
		}
	}
	for _, f := range faults {
		t.Errorf("console: %s", f)
	}
}

// A draft that was made without a connection is sent when there is one again.
func TestOffline(t *testing.T) {
	all := chromium(t)
	p, _ := newProject(t, 1, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	address := server.Listener.Addr().String()
	ctx, stop := chromedp.NewContext(all)
	defer stop()
	token := invite(t, p, "anna")
	session, err := p.Start(token)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := p.Session(session)
	p.Comprehension(a.ID, true)
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/a/"+token), chromedp.Click("button"), chromedp.WaitVisible("#sheet")); err != nil {
		t.Fatal(err)
	}
	server.CloseClientConnections()
	server.Close()
	for i, c := range p.Rubric.Criteria {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(points(c.Max()))); err != nil {
			t.Fatal(err)
		}
		if i == 7 { // a draft fails before the rest is entered
			until(t, ctx, `document.getElementById("state").textContent.startsWith("No connection")`)
		}
	}
	if err := chromedp.Do(ctx, chromedp.KeyEvent("\r")); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, `document.getElementById("state").textContent.startsWith("No connection")`)
	again := httptest.NewUnstartedServer(s.Handler())
	again.Listener.Close()
	if again.Listener, err = listen(address); err != nil {
		t.Fatal(err)
	}
	again.Start()
	defer again.Close()
	until(t, ctx, `document.title === "Done"`)
	work, err := p.Work()
	if err != nil || len(work) != 1 || !work[0].Done() {
		t.Errorf("%+v, %v", work, err)
	}
}

// shoot checks that the page is no wider than the screen, and keeps a picture if
// COMPQA_SCREENSHOTS names a folder.
func shoot(t *testing.T, ctx context.Context, name string, width int64, dark bool) {
	t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	media := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return chromedp.Void{}, err
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800), media); err != nil {
		t.Fatal(err)
	}
	wide, err := chromedp.Run(ctx, chromedp.Evaluate[int](`document.documentElement.scrollWidth - innerWidth`))
	if err != nil {
		t.Fatal(err)
	}
	unnamed, err := chromedp.Run(ctx, chromedp.Evaluate[int](`[...document.querySelectorAll("table:not(:has(caption)), #sheet input:not([type=hidden]), #sheet textarea")].filter((e) => !(e.labels && e.labels.length) && !e.closest(".rendered")).length`))
	if err != nil {
		t.Fatal(err)
	}
	if wide > 0 || unnamed > 0 {
		t.Errorf("%s at %d px, %s: %d px too wide, %d controls or tables without a name", name, width, scheme, wide, unnamed)
	}
	if folder := os.Getenv("COMPQA_SCREENSHOTS"); folder != "" {
		picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits until an expression is true; errors while a page loads are no end.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression)); err == nil && yes {
			return
		}
		if time.Now().After(end) {
			text, _ := chromedp.Run(ctx, chromedp.Text("body"))
			t.Fatalf("never true: %s\n%s", expression, text)
		}
	}
}
