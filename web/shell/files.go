package shell

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"strings"
)

// FileOf returns the file of an address on a static site. Names of systems, judges and questions can be any text. The file name has only
// their letters, digits and hyphens, and a hash if that loses something.
func FileOf(address string) string {
	if address == "/" {
		return "index.html"
	}
	p, query, _ := strings.Cut(strings.TrimPrefix(address, "/"), "?")
	switch ext := path.Ext(p); ext {
	case ".css", ".js", ".svg":
		if query != "" {
			return strings.TrimSuffix(p, ext) + "-" + Slug(query) + ext
		}
		return p
	}
	folder, name, below := strings.Cut(p, "/")
	if below {
		folder += "/" + Slug(name)
	}
	ext := ".html"
	if strings.Contains("&"+query, "&as=csv&") {
		ext = ".csv"
	}
	if query != "" {
		folder += "-list/" + Slug(query)
	}
	return folder + ext
}

var (
	// deviceName matches names that Windows reserves for devices, with any file extension.
	deviceName = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
	notPlain   = regexp.MustCompile(`[^a-z0-9]+`)
)

// Slug turns a text into a part of a file name.
func Slug(text string) string {
	short := strings.Trim(notPlain.ReplaceAllString(text, "-"), "-")
	if short == text && len(short) <= 60 && !deviceName.MatchString(short) {
		return short
	}
	sum := sha256.Sum256([]byte(text))
	return strings.Trim(short[:min(len(short), 28)], "-") + "-" + hex.EncodeToString(sum[:6])
}
