package data

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
)

// The limits of files, in bytes: of a line of JSON Lines or of a table; of a text that is no table
// or list of records; of an entry of a zip file, unpacked; of a file, unpacked.
const (
	MostLine  = 64 << 20
	MostText  = 64 << 20
	MostEntry = 256 << 20
	MostFile  = 1 << 30
)

// A LineError is an error in an input file, with a line counted from 1.
type LineError struct {
	Path string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// IsFolder reports whether a path is that of a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// OpenInput opens a regular file, or standard input for "-". It also returns the name for
// messages. A device or a pipe is refused: it may have no end.
func OpenInput(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), "standard input", nil
	}
	info, err := os.Stat(path) // before it is opened: opening a pipe waits for its writer
	switch {
	case err != nil:
		return nil, path, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	case info.IsDir():
		return nil, path, fmt.Errorf("cannot read %s: it is a folder", path)
	case !info.Mode().IsRegular():
		return nil, path, fmt.Errorf("cannot read %s: it is not a regular file; - reads standard input", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	return f, path, nil
}

// ReadText reads a file, or standard input for "-", which must be UTF-8 and has at most MostText
// bytes. It also returns the name for messages.
func ReadText(path string) ([]byte, string, error) {
	f, path, err := OpenInput(path)
	if err != nil {
		return nil, path, err
	}
	defer f.Close()
	text, err := limited(f, path, MostText, 0)
	if err == nil {
		text, err = decoded(path, text, nil)
	}
	return []byte(text), path, err
}

// A Document is a value of a file: a JSON document, an item of a JSON list, a line of JSON Lines, or
// a row of a table as an object of texts. Of a zip file it is an entry, and Root is its header.
type Document struct {
	File  string
	Line  int     // on which it begins, from 1
	Table *Header // nil: not a row of a table
	Root  gjson.Result
	Value gjson.Result
}

// Errorf is an error in the document, with file and line.
func (d *Document) Errorf(format string, args ...any) error {
	return &LineError{Path: d.File, Line: d.Line, Err: fmt.Errorf(format, args...)}
}

// Documents reads a file: JSON, JSON Lines, YAML, a table, each also packed with gzip, or a zip file with header.json;
// its content says which. UTF-16 is decoded. An error of one line is yielded with it, and the next lines follow. note
// is told what had to be guessed, for instance that a text is in Windows-1252; without it, that is an error.
func Documents(path string, note func(string)) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		content, path, err := readFile(path)
		if err != nil {
			yield(Document{}, err)
			return
		}
		if strings.HasPrefix(content, "PK\x03\x04") {
			zipped(path, content, yield)
			return
		}
		text, err := decoded(path, content, note)
		first := strings.TrimLeft(text[:min(len(text), 1<<16)], " \t\r\n")
		ext := extension(path)
		switch {
		case err != nil:
			yield(Document{}, err)
		case ext == ".yaml" || ext == ".yml":
			text, err := jsonOfYAML(path, text)
			listed(path, text, err, yield)
		case ext == ".jsonl" || ext == ".ndjson":
			lines(path, text, yield)
		case ext != ".csv" && (strings.HasPrefix(first, "[") || strings.HasPrefix(first, "{") && !isLines(text)),
			ext == ".json" && first != "" && first[0] != '{':
			text, err := ValidJSON(path, text, 1)
			listed(path, text, err, yield)
		case ext != ".csv" && strings.HasPrefix(first, "{"):
			lines(path, text, yield)
		default:
			tabled(path, text, note, yield)
		}
	}
}

func extension(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

// listed yields a JSON document, or the items of a list.
func listed(path, text string, err error, yield func(Document, error) bool) {
	root := gjson.Parse(text)
	if err != nil || !root.IsArray() {
		yield(Document{File: path, Line: 1, Root: root, Value: root}, err)
		return
	}
	line := LineCounter(text)
	root.ForEach(func(_, item gjson.Result) bool {
		return yield(Document{File: path, Line: line(item.Index), Root: item, Value: item}, nil)
	})
}

// ReadItems decodes the items of a JSON list, or a document that is no list, and says where each begins.
func ReadItems[T any](path string) (items []T, at []Document, err error) {
	for d, err := range Documents(path, nil) {
		var item T
		if err == nil {
			err = json.Unmarshal([]byte(d.Value.Raw), &item)
			if err != nil {
				err = d.Errorf("in the item that begins here: %w", err)
			}
		}
		if err != nil {
			return nil, nil, err
		}
		items, at = append(items, item), append(at, d)
	}
	return items, at, nil
}

// LineCounter returns a function that says on which line of a text an offset is; offsets increase.
func LineCounter(text string) func(offset int) int {
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
	_, err := ValidJSON("", first, 1)
	return err == nil && strings.TrimSpace(rest) != ""
}

// lines yields the lines of JSON Lines.
func lines(path, text string, yield func(Document, error) bool) {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		line, err := ValidJSON(path, line, number)
		value := gjson.Parse(line)
		if !yield(Document{File: path, Line: number, Root: value, Value: value}, err) {
			return
		}
	}
}

// ValidJSON is a JSON text, with null for NaN and Infinity, which Python writes. line is the first
// line of the text in its file.
func ValidJSON(path, text string, line int) (string, error) {
	if json.Valid([]byte(text)) {
		return text, nil
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Infinity") {
		if plain := withoutNaN(text); json.Valid([]byte(plain)) {
			return plain, nil
		}
	}
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line += strings.Count(text[:min(int(syntax.Offset), len(text))], "\n")
	}
	return "", &LineError{Path: path, Line: line, Err: fmt.Errorf("not JSON: %w", err)}
}

var nulls = strings.NewReplacer("NaN", "null", "-Infinity", "null", "Infinity", "null")

// withoutNaN writes null for NaN, Infinity and -Infinity outside of strings.
func withoutNaN(text string) string {
	var b strings.Builder
	inString := false
	for part := range strings.SplitSeq(text, `"`) {
		if b.Len() > 0 || inString {
			b.WriteByte('"')
		}
		if !inString {
			nulls.WriteString(&b, part)
			inString = true
			continue
		}
		b.WriteString(part)
		escapes := len(part) - len(strings.TrimRight(part, `\`))
		inString = escapes%2 == 1 // the quotation mark is a part of the string
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

// readFile is the content of a file, unpacked if it is packed with gzip.
func readFile(path string) (content, name string, err error) {
	f, path, err := OpenInput(path)
	if err != nil {
		return "", path, err
	}
	defer f.Close()
	mostLine := 0
	if slices.Contains([]string{".jsonl", ".ndjson", ".csv", ".tsv"}, extension(path)) {
		mostLine = MostLine
	}
	if content, err = limited(f, path, MostFile, mostLine); err == nil && strings.HasPrefix(content, "\x1f\x8b") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(strings.NewReader(content)); err == nil {
			content, err = limited(z, path, MostFile, mostLine)
		}
	}
	return content, path, err
}

// limited reads at most so many bytes, with lines of at most mostLine; 0: of any length.
func limited(r io.Reader, path string, most, mostLine int) (string, error) {
	var b strings.Builder
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Size() < int64(most) {
			b.Grow(int(info.Size()))
		}
	}
	if n, err := io.Copy(&b, io.LimitReader(r, int64(most)+1)); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	} else if n > int64(most) {
		return "", fmt.Errorf("%s has more than %d MiB", path, most>>20)
	}
	rest := b.String()
	for line := 1; mostLine > 0 && len(rest) > mostLine; line++ {
		end := strings.IndexByte(rest[:mostLine+1], '\n')
		if end < 0 {
			return "", &LineError{path, line, fmt.Errorf("this line is longer than %d MiB", mostLine>>20)}
		}
		rest = rest[end+1:]
	}
	return b.String(), nil
}

// decoded is a text in UTF-8, without a byte-order mark.
func decoded(path, content string, note func(string)) (string, error) {
	switch {
	case strings.HasPrefix(content, "\xff\xfe"), strings.HasPrefix(content, "\xfe\xff"):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().String(content)
	case isUTF16(content):
		return "", &LineError{path, 1, fmt.Errorf("this is UTF-16; UTF-8 is needed: iconv -f UTF-16 -t UTF-8 %s > NEW_FILE", path)}
	case strings.Contains(content, "\x00"):
		before, _, _ := strings.Cut(content, "\x00")
		at := len(before) - strings.LastIndexByte(before, '\n')
		return "", &LineError{path, 1 + strings.Count(before, "\n"),
			fmt.Errorf("byte %d is NUL (0x00), so this is not a text file, or it is damaged", at)}
	case utf8.ValidString(content):
		return strings.TrimPrefix(content, "\ufeff"), nil
	case note == nil:
		at := 0
		for size := 0; at < len(content); at += size {
			var r rune
			if r, size = utf8.DecodeRuneInString(content[at:]); r == utf8.RuneError && size == 1 {
				break
			}
		}
		line := 1 + strings.Count(content[:at], "\n")
		return "", &LineError{path, line,
			fmt.Errorf("byte %d (0x%02x) is not UTF-8; if the text is in Windows-1252: iconv -f WINDOWS-1252 -t UTF-8 %s > NEW_FILE",
				at-strings.LastIndexByte(content[:at], '\n'), content[at], path)}
	}
	note(fmt.Sprintf("%s is not UTF-8; it was read as Windows-1252", path))
	return charmap.Windows1252.NewDecoder().String(content)
}

// isUTF16 reports whether a text without a byte-order mark looks like UTF-16: about every second byte is NUL, and no other one.
func isUTF16(text string) bool {
	var at [2]int
	text = text[:min(len(text), 1<<10)]
	for i := range len(text) {
		if text[i] == 0 {
			at[i%2]++
		}
	}
	return min(at[0], at[1]) == 0 && 3*max(at[0], at[1]) > len(text)
}

// zipHeaders are the entries of a zip file that say what its samples are part of: of a complete
// log, and of one that is being written.
var zipHeaders = []string{"header.json", "_journal/start.json"}

// zipped yields the samples of an inspect_ai log. Its entries are packed with zstd (method 93) or,
// in older versions, with deflate.
func zipped(path, content string, yield func(Document, error) bool) {
	z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		yield(Document{}, fmt.Errorf("reading %s: %w", path, err))
		return
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(MostEntry)))
	named := func(name string) int {
		return slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name })
	}
	header := max(named(zipHeaders[0]), named(zipHeaders[1]))
	if header < 0 {
		yield(Document{}, fmt.Errorf("%s is a zip file without %s; unpack it, and name the files in it", path, zipHeaders[0]))
		return
	}
	root, err := zipEntry(path, z.File[header])
	if err != nil {
		yield(Document{}, err)
		return
	}
	samples := slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool {
		return !strings.HasPrefix(f.Name, "samples/") || !strings.HasSuffix(f.Name, ".json")
	})
	if len(samples) == 0 {
		yield(Document{}, fmt.Errorf("%s has no samples", path))
	}
	slices.SortFunc(samples, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) }) // not as they were finished
	for _, entry := range samples {
		sample, err := zipEntry(path, entry)
		if !yield(Document{File: path + ":" + entry.Name, Line: 1, Root: root, Value: sample}, err) {
			return
		}
	}
}

func zipEntry(path string, entry *zip.File) (gjson.Result, error) {
	place := path + ":" + entry.Name
	if entry.UncompressedSize64 > MostEntry {
		return gjson.Result{}, fmt.Errorf("%s has more than %d MiB", place, MostEntry>>20)
	}
	r, err := entry.Open()
	if err != nil {
		return gjson.Result{}, fmt.Errorf("reading %s: %w", place, err)
	}
	defer r.Close()
	text, err := limited(r, place, MostEntry, 0)
	if err == nil {
		text, err = ValidJSON(place, text, 1)
	}
	return gjson.Parse(text), err
}
