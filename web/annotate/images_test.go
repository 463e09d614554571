package annotate

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/web/annotate/project"
)

// TestImages: images in the study's folder are shown. Nothing outside the folder is read, nothing is loaded from another site, and files
// that are no images are not served.
func TestImages(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "study")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	write := func(path string, content []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outer, "secret.png"), picture.Bytes())
	write(filepath.Join(dir, "img/secret system.png"), picture.Bytes())
	write(filepath.Join(dir, "img/rule.png"), picture.Bytes())
	write(filepath.Join(dir, "img/unnamed.png"), picture.Bytes())
	write(filepath.Join(dir, "img/page.png"), []byte("<!doctype html><script>alert(1)</script>"))
	write(filepath.Join(dir, "img/drawing.svg"), []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
	write(filepath.Join(dir, "img/large.png"), append(picture.Bytes(), make([]byte, mostImage)...))
	for link, target := range map[string]string{"out.png": "../../secret.png", "folder": "../.."} {
		if err := os.Symlink(target, filepath.Join(dir, "img", link)); err != nil {
			t.Fatal(err)
		}
	}
	bad := []string{"../secret.png", "img/../../secret.png", "..%2Fsecret.png", filepath.Join(outer, "secret.png"), "img/out.png",
		"img/folder/secret.png", "img/page.png", "img/drawing.svg", "img/large.png", "img/missing.png", "annotation.db", "img",
		"https://evil.example/p.png", "//evil.example/p.png", "data:image/png;base64,AAAA", "javascript:alert(1)"}
	text := "![A *chart*\" onerror=\"x](<img/secret%20system.png>)\n"
	for _, path := range bad {
		text += "\n![bad](" + path + ")\n"
	}
	items := []project.Item{{Kind: project.Answer, Source: "a", Cluster: "q", Role: project.Overlap, Content: project.Content{Question: "q", A: text}}}
	p := createIn(t, dir, project.Settings{Texts: project.Texts{Guidelines: "Look.\n\n![](./img/rule.png)"}}, items)
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	b := newBrowser(t, web.URL)
	b.enter(s, invite(t, p, "anna"))
	_, page := b.get("/work")
	if strings.Count(page, "<img") != 2 { // in the answer and in the dialogue of the guidelines
		t.Fatalf("%d images on the page:\n%s", strings.Count(page, "<img"), page)
	}
	if !strings.Contains(page, `alt="A chart&#34; onerror=&#34;x"`) || !strings.Contains(page, `alt="image"`) {
		t.Errorf("descriptions are missing:\n%s", page)
	}
	for _, path := range bad {
		if strings.Contains(path, ":") && !strings.Contains(page, "<span>bad</span> ("+path+")") {
			t.Errorf("%s is not shown as a text", path)
		}
	}
	for _, found := range regexp.MustCompile(`src="(/image/[0-9a-f]{24})"`).FindAllStringSubmatch(page, -1) {
		reply, err := http.Get(web.URL + found[1])
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		got.ReadFrom(reply.Body)
		reply.Body.Close()
		if reply.StatusCode != http.StatusOK || reply.Header.Get("Content-Type") != "image/png" || !bytes.Equal(got.Bytes(), picture.Bytes()) ||
			!strings.Contains(reply.Header.Get("Content-Security-Policy"), "img-src 'self'") {
			t.Errorf("%s: %s %v", found[1], reply.Status, reply.Header)
		}
	}
	codes := []string{"img/rule.png", "..%2Fsecret.png", "../secret.png"}
	for _, path := range append(bad, "img/unnamed.png") { // a code of a path that is not to be shown, and of one that no text names
		codes = append(codes, p.Keyed("image/"+path))
	}
	for _, code := range codes {
		if status, _ := b.get("/image/" + code); status != http.StatusNotFound && status != http.StatusBadRequest {
			t.Errorf("image %s: %d", code, status)
		}
	}
	if len(Images(p.Texts, items)) != 10 {
		t.Errorf("%q are images of the folder", Images(p.Texts, items))
	}
}
