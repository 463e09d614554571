package sources

import (
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"compqa/data"
)

// mostDocument is the largest file, or entry of a zip file, that is read, in bytes unpacked. A line
// of JSON Lines has at most data.MostRecord bytes.
const mostDocument = 1 << 30

// A document is a value of a file: a JSON document, an item of a JSON list, a line of JSON Lines, or
// a row of a table as an object of texts. Of a zip file it is an entry, and root is its header.
type document struct {
	file  string
	line  int // on which it begins, from 1
	root  gjson.Result
	value gjson.Result
}

func (d document) errorf(format string, args ...any) error {
	return &data.LineError{Path: d.file, Line: d.line, Err: fmt.Errorf(format, args...)}
}

// documents reads a file: JSON, JSON Lines, YAML, a table, each also packed with gzip, or a zip
// file with header.json. Texts in UTF-16 and Windows-1252 are decoded; note is told of the latter.
func documents(path string, note func(string)) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		content, path, err := readAll(path)
		if err != nil {
			yield(document{}, err)
			return
		}
		if strings.HasPrefix(content, "PK\x03\x04") {
			zipped(path, content, yield)
			return
		}
		text, err := decoded(path, content, note)
		first := strings.TrimLeft(text[:min(len(text), 1<<16)], " \t\r\n")
		ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
		switch {
		case err != nil:
			yield(document{}, err)
		case ext == ".yaml" || ext == ".yml":
			text, err := jsonOfYAML(path, text)
			listed(path, text, err, yield)
		case strings.HasPrefix(first, "[") || strings.HasPrefix(first, "{") && !isLines(text):
			text, err := validJSON(path, text, 1)
			listed(path, text, err, yield)
		case strings.HasPrefix(first, "{"):
			lines(path, text, yield)
		default:
			tabled(path, text, note, yield)
		}
	}
}

// listed yields a JSON document, or the items of a list.
func listed(path, text string, err error, yield func(document, error) bool) {
	root := gjson.Parse(text)
	if err != nil || !root.IsArray() {
		yield(document{path, 1, root, root}, err)
		return
	}
	each := numbered(text)
	root.ForEach(func(_, item gjson.Result) bool {
		return yield(document{path, each(item.Index), item, item}, nil)
	})
}

// decodeItems decodes the items of a JSON list, or a document that is no list, and says where each
// begins.
func decodeItems[T any](path, text string) (items []T, at []document, err error) {
	text, err = validJSON(path, text, 1)
	listed(path, text, err, func(d document, fault error) bool {
		var item T
		if err = fault; err == nil {
			if err = json.Unmarshal([]byte(d.value.Raw), &item); err != nil {
				err = d.errorf("in the item that begins here: %w", err)
			}
		}
		items, at = append(items, item), append(at, d)
		return err == nil
	})
	return items, at, err
}

// readItems decodes the items of a file.
func readItems[T any](path string) (items []T, at []document, err error) {
	content, path, err := data.ReadText(path)
	if err != nil {
		return nil, nil, err
	}
	return decodeItems[T](path, strings.TrimPrefix(string(content), "\ufeff"))
}

// numbered returns a function that counts the lines of a text up to offsets, which increase.
func numbered(text string) func(offset int) int {
	line, counted := 1, 0
	return func(offset int) int {
		line += strings.Count(text[counted:max(counted, offset)], "\n")
		counted = max(counted, offset)
		return line
	}
}

// isLines reports whether a text that begins with an object is JSON Lines.
func isLines(text string) bool {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	_, err := validJSON("", first, 1)
	return err == nil && strings.TrimSpace(rest) != ""
}

// lines yields the lines of JSON Lines.
func lines(path, text string, yield func(document, error) bool) {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		line, err := validJSON(path, line, number)
		if len(line) > data.MostRecord {
			err = &data.LineError{Path: path, Line: number, Err: fmt.Errorf("this line is longer than %d MiB", data.MostRecord>>20)}
		}
		value := gjson.Parse(line)
		if !yield(document{path, number, value, value}, err) || err != nil {
			return
		}
	}
}

// validJSON is a JSON text, with null for NaN and Infinity, which Python writes.
func validJSON(path, text string, line int) (string, error) {
	if gjson.Valid(text) {
		return text, nil
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Infinity") {
		if plain := withoutNaN(text); gjson.Valid(plain) {
			return plain, nil
		}
	}
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line += strings.Count(text[:min(int(syntax.Offset), len(text))], "\n")
	}
	return "", &data.LineError{Path: path, Line: line, Err: fmt.Errorf("not JSON: %w", err)}
}

// withoutNaN writes null for NaN, Infinity and -Infinity outside of strings.
func withoutNaN(text string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			b.WriteString(text[i:min(i+2, len(text))])
			i++
			continue
		case c == '"':
			inString = !inString
		case !inString && (c == 'N' || c == 'I' || c == '-'):
			word := text[i:min(i+9, len(text))]
			if at := slices.IndexFunc([]string{"NaN", "Infinity", "-Infinity"}, func(w string) bool { return strings.HasPrefix(word, w) }); at >= 0 {
				b.WriteString("null")
				i += []int{3, 8, 9}[at] - 1
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// jsonOfYAML is a YAML document as JSON.
func jsonOfYAML(path, text string) (string, error) {
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read as JSON: %w", path, err)
	}
	return string(plain), nil
}

// readAll is the content of a file, unpacked if it is packed with gzip.
func readAll(path string) (content, name string, err error) {
	f, path, err := data.OpenInput(path)
	if err != nil {
		return "", path, err
	}
	defer f.Close()
	content, err = limited(f, path)
	if err == nil && strings.HasPrefix(content, "\x1f\x8b") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(strings.NewReader(content)); err == nil {
			content, err = limited(z, path)
		}
	}
	if err != nil {
		return "", path, fmt.Errorf("reading %s: %w", path, err)
	}
	return content, path, nil
}

// limited reads at most mostDocument bytes.
func limited(r io.Reader, path string) (string, error) {
	var b strings.Builder
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			b.Grow(int(min(info.Size(), mostDocument)) + 1)
		}
	}
	n, err := io.Copy(&b, io.LimitReader(r, mostDocument+1))
	if n > mostDocument {
		return "", fmt.Errorf("it has more than %d MiB", mostDocument>>20)
	}
	return b.String(), err
}

// decoded is a text in UTF-8.
func decoded(path, content string, note func(string)) (string, error) {
	switch {
	case strings.HasPrefix(content, "\xff\xfe"), strings.HasPrefix(content, "\xfe\xff"):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().String(content)
	case strings.Contains(content[:min(len(content), 1<<16)], "\x00"):
		return "", fmt.Errorf("%s is not a text file", path)
	case !utf8.ValidString(content):
		note(fmt.Sprintf("%s is not UTF-8; it was read as Windows-1252", path))
		return charmap.Windows1252.NewDecoder().String(content)
	}
	return strings.TrimPrefix(content, "\ufeff"), nil
}

// zipHeaders are the entries of a zip file that say what its samples are part of: of a complete
// log, and of one that is being written.
var zipHeaders = []string{"header.json", "_journal/start.json"}

// zipped yields the samples of an inspect_ai log. Its entries are packed with zstd (method 93) or,
// in older versions, with deflate.
func zipped(path, content string, yield func(document, error) bool) {
	z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		yield(document{}, fmt.Errorf("reading %s: %w", path, err))
		return
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(mostDocument)))
	read := func(entry *zip.File) (gjson.Result, error) {
		place := path + ":" + entry.Name
		r, err := entry.Open()
		if err != nil {
			return gjson.Result{}, fmt.Errorf("reading %s: %w", place, err)
		}
		defer r.Close()
		text, err := limited(r, place)
		if err != nil {
			return gjson.Result{}, fmt.Errorf("reading %s: %w", place, err)
		}
		text, err = validJSON(place, text, 1)
		return gjson.Parse(text), err
	}
	header := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == zipHeaders[0] })
	if header < 0 {
		header = slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == zipHeaders[1] })
	}
	if header < 0 {
		yield(document{}, fmt.Errorf("%s is a zip file without %s; unpack it, and name the files in it", path, zipHeaders[0]))
		return
	}
	root, err := read(z.File[header])
	if err != nil {
		yield(document{}, err)
		return
	}
	samples := slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool {
		return !strings.HasPrefix(f.Name, "samples/") || !strings.HasSuffix(f.Name, ".json")
	})
	if len(samples) == 0 {
		yield(document{}, fmt.Errorf("%s has no samples", path))
	}
	slices.SortFunc(samples, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) }) // not as they were finished
	for _, entry := range samples {
		sample, err := read(entry)
		if !yield(document{path + ":" + entry.Name, 1, root, sample}, err) || err != nil {
			return
		}
	}
}
