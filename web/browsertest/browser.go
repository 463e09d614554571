// Package browsertest opens pages in headless Chromium, for tests.
package browsertest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
)

// A Tab is a browser tab. Any error on its console fails the test at the end.
type Tab struct {
	T       testing.TB
	Context context.Context
	Allowed string // part of console errors that the test expects; "": none
	Stop    func() // closes the tab
	mu      sync.Mutex
	faults  []string
}

// browser is the only browser of a test binary. It runs while any test has a tab.
var browser struct {
	sync.Mutex
	tabs    int
	context context.Context
	stop    func()
}

// Start opens a tab with its own cookies and storage, and starts the browser if necessary. Without Chromium, the test is skipped,
// or fails in CI.
func Start(t testing.TB) *Tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		sharedtest.Missing(t, "no chromium, so that pages are not tested in a browser (apt-get install chromium)")
	}
	ctx, stop := context.WithTimeout(running(t, path), 20*time.Minute)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	tab := &Tab{T: t, Context: ctx, Stop: stop}
	if err := chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			tab.fault(e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
				tab.fault(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, f := range tab.faults {
			// A server started after the tab is closed before it, and the browser may ask for the icon in between.
			late := strings.Contains(f, "ERR_CONNECTION_REFUSED") && strings.HasSuffix(f, "/favicon.svg")
			if !late && (tab.Allowed == "" || !strings.Contains(f, tab.Allowed)) {
				t.Errorf("console: %s", f)
			}
		}
	})
	return tab
}

// running returns the context of the browser, which keeps running until the test ends.
func running(t testing.TB, path string) context.Context {
	t.Helper()
	browser.Lock()
	defer browser.Unlock()
	if browser.tabs == 0 {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("in-process-gpu", true), // fewer processes take less time
			chromedp.Flag("disable-software-rasterizer", true),
			chromedp.Flag("disable-features",
				"Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess,BackForwardCache,OptimizationHints,MediaRouter"),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"))
		allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stop := chromedp.NewContext(allocator)
		browser.context = ctx
		browser.stop = func() { stop(); end() }
		if err := chromedp.Do(ctx); err != nil {
			browser.stop()
			t.Fatalf("chromium does not start: %v", err)
		}
	}
	browser.tabs++
	t.Cleanup(func() {
		browser.Lock()
		defer browser.Unlock()
		if browser.tabs--; browser.tabs == 0 {
			browser.stop()
		}
	})
	return browser.context
}

func (b *Tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

// Do runs actions in the tab. An error fails the test.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	if err := chromedp.Do(b.Context, actions...); err != nil {
		b.T.Fatal(err)
	}
}

// Script switches JavaScript on or off.
func (b *Tab) Script(on bool) {
	b.T.Helper()
	get(b, call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}))
}

// call returns an action that sends a command of the DevTools protocol.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[R] {
	return func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	}
}

// patience is the maximum time to wait for a page, on a machine that is busy with other tests.
const patience = 2 * time.Minute

// chromedp's WaitVisible and Click sometimes never return after navigation (seen with 0.23.0), so the methods below query the page by
// JavaScript instead.

// Text returns the visible text of the page.
func (b *Tab) Text() string {
	b.T.Helper()
	return get(b, chromedp.Evaluate[string](`document.body.innerText`))
}

// get returns the result of an action. An error fails the test.
func get[T any](b *Tab, action chromedp.Action[T]) T {
	b.T.Helper()
	value, err := chromedp.Run(b.Context, action)
	if err != nil {
		b.T.Fatal(err)
	}
	return value
}

// Open opens an address and waits until an element is visible.
func (b *Tab) Open(address, selector string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(address))
	b.See(selector)
}

// See waits until an element is visible.
func (b *Tab) See(selector string) {
	b.T.Helper()
	b.Until(fmt.Sprintf(`!!document.querySelector(%q)?.checkVisibility()`, selector))
}

// Click waits until nothing covers the first matching element, and clicks on its middle.
func (b *Tab) Click(selector string) {
	b.T.Helper()
	b.click(selector, 1)
}

// DoubleClick clicks twice at the same place, even if the page changes after the first click.
func (b *Tab) DoubleClick(selector string) {
	b.T.Helper()
	b.click(selector, 2)
}

// click waits until the middle of an element is free, and clicks there some times in a row.
func (b *Tab) click(selector string, times int) {
	b.T.Helper()
	var centre []float64
	for end := time.Now().Add(patience); len(centre) != 2; time.Sleep(20 * time.Millisecond) {
		centre, _ = chromedp.Run(b.Context, chromedp.Evaluate[[]float64](fmt.Sprintf(middle, selector))) // fails while a page is loading
		if time.Now().After(end) {
			b.T.Fatalf("%s cannot be clicked\n%s", selector, b.Text())
		}
	}
	for n := range times {
		b.Do(chromedp.MouseClickXY(centre[0], centre[1], chromedp.ClickCount(n+1)))
	}
}

// middle is JavaScript that scrolls an element into view and returns its middle, or [] if the element is missing or covered by anything
// but its label.
const middle = `((e) => {
	if (!e || document.readyState !== "complete") return [];
	e.scrollIntoView({block: "center", behavior: "instant"});
	const r = e.getClientRects()[0];
	if (!r) return [];
	const [x, y] = [r.x + r.width / 2, r.y + r.height / 2];
	const top = document.elementFromPoint(x, y);
	return top && (e.contains(top) || [...(e.labels ?? [])].some((l) => l.contains(top))) ? [x, y] : [];
})(document.querySelector(%q))`

// Type enters text at the end of a field.
func (b *Tab) Type(selector, text string) {
	b.T.Helper()
	b.See(selector)
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`((e) => { e.focus(); e.setSelectionRange?.(e.value.length, e.value.length); })`+
		`(document.querySelector(%q))`, selector)),
		chromedp.KeyEvent(text))
}

// Until waits until a JavaScript expression is true. It ignores errors, which occur while a page is loading.
func (b *Tab) Until(expression string) {
	b.T.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if yes, err := chromedp.Run(b.Context, chromedp.Evaluate[bool](expression)); err == nil && yes {
			return
		}
		if time.Now().After(end) {
			text := b.Text()
			b.Stop() // otherwise closing the server would wait for the page's connections
			b.T.Fatalf("never true: %s\n%s", expression, text)
		}
	}
}

// names is JavaScript that counts tables, controls and images without an accessible name.
const names = `[...document.querySelectorAll("table:not(:has(caption)), input:not([type=hidden]), textarea, select, img")]` +
	`.filter((e) => !(e.labels && e.labels.length) && !e.alt && !e.ariaLabel && !e.closest(".rendered, .card, .prose")).length`

// Check checks the page at some widths in pixels, in light and dark colours: it must not be wider than the screen, and tables and controls
// must have names. It saves screenshots if COMPQA_SCREENSHOTS names a folder.
func (b *Tab) Check(name string, widths ...int64) {
	b.T.Helper()
	for _, width := range widths {
		for _, scheme := range []string{"light", "dark"} {
			height := int64(800)
			if width == 640 { // a page of 1280 × 800 at 200 %
				height = 400
			}
			b.Do(chromedp.EmulateViewport(width, height))
			b.media(scheme)
			b.Until(`document.readyState === "complete"`)
			wide := get(b, chromedp.Evaluate[int](`document.documentElement.scrollWidth - innerWidth`))
			unnamed := get(b, chromedp.Evaluate[int](names))
			if wide > 0 || unnamed > 0 {
				b.T.Errorf("%s at %d px, %s: %d px too wide, %d controls, tables or pictures without a name", name, width, scheme, wide, unnamed)
			}
			folder := os.Getenv("COMPQA_SCREENSHOTS")
			if folder == "" {
				continue
			}
			file := filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
			picture, err := small(get(b, chromedp.CaptureScreenshot()))
			if err != nil {
				b.T.Fatal(err)
			}
			if err := os.WriteFile(file, picture, 0o644); err != nil {
				b.T.Fatal(err)
			}
		}
	}
}

// small reduces a PNG picture to its 256 most frequent colours, which more than halves its size.
func small(picture []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.NRGBA]int{}
	size := img.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			counts[color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.NRGBA) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	palette := color.Palette{}
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	out := image.NewPaletted(size, palette)
	draw.Draw(out, size, img, size.Min, draw.Src)
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out)
	return b.Bytes(), err
}

// axe returns the script of axe-core, downloaded with npm.
var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for _, line := range [][]string{{"npm", "pack", "--silent", "axe-core@4"}, {"sh", "-c", "tar xzf axe-core-*.tgz"}} {
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, out)
		}
	}
	script, err := os.ReadFile(filepath.Join(dir, "package", "axe.min.js"))
	return string(script), err
})

// Axe checks the page with axe-core, by the rules of WCAG 2.2 A and AA and best practices. In dark colours it checks only the rules about
// colours, because nothing else differs. If npm cannot download axe-core, it logs that and checks nothing.
func (b *Tab) Axe(name string) {
	b.T.Helper()
	script, err := axe()
	if err != nil {
		b.T.Logf("SKIPPED: axe-core is missing, so %s is not checked with it: %v", name, err)
		return
	}
	b.Do(chromedp.Evaluate[chromedp.Void](script))
	for _, scheme := range []string{"light", "dark"} {
		b.media(scheme)
		rules := map[string]string{"light": `{}`, "dark": `{runOnly: ["color-contrast", "link-in-text-block"]}`}[scheme]
		found, err := chromedp.Run(b.Context, chromedp.Evaluate[[]string](`axe.run(`+rules+`).then((r) => r.violations.flatMap((v) => `+
			`v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200))))`,
			chromedp.EvalAwaitPromise))
		if err != nil {
			b.T.Fatalf("%s: axe-core: %v", name, err)
		}
		for _, fault := range found {
			b.T.Errorf("%s, %s: axe-core: %s", name, scheme, fault)
		}
	}
}

func (b *Tab) media(scheme string) {
	get(b, call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
}

// Read returns the page as a screen reader gets it: one line for each node of the accessibility tree with a name, with its role and
// description.
func (b *Tab) Read() string {
	b.T.Helper()
	get(b, call(accessibility.Enable, cdp.Empty{}))
	tree := get(b, call(accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}))
	var lines strings.Builder
	children := map[accessibility.NodeID][]*accessibility.Node{} // a list of children may name nodes that are left out
	for _, n := range tree.Nodes {
		children[n.ParentID] = append(children[n.ParentID], n)
	}
	var walk func(n *accessibility.Node)
	walk = func(n *accessibility.Node) {
		role := axText(n.Role)
		if name := axText(n.Name); !n.Ignored && name != "" && role != "InlineTextBox" {
			fmt.Fprintln(&lines, strings.TrimSuffix(strings.Join([]string{role, name, axText(n.Description)}, " | "), " | "))
		}
		for _, child := range children[n.NodeID] {
			walk(child)
		}
	}
	if len(tree.Nodes) > 0 {
		walk(tree.Nodes[0])
	}
	return lines.String()
}

func axText(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Join(strings.Fields(strings.Trim(string(v.Value), `"`)), " ")
}
