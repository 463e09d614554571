package data

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// A LineError is an error in an input file. Line counts from 1.
type LineError struct {
	Path string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// A Document is one record of a file: a JSON document, an item of a JSON list, a line of JSON Lines, or a row of a Parquet file or a table.
// In an .eval log it is a sample, and Root is the log's header.
type Document struct {
	File  string  // FILE#SHEET for a sheet, FILE:ENTRY for an entry of a zip file
	Line  int     // line on which it begins, or number of the row, from 1
	Table *Header // nil if it is not a row of a table
	Root  gjson.Result
	Value gjson.Result // does not exist for a row of a table
	Cells []string     // for a row of a table: the texts of its columns
}

// Object returns the value. For a row of a table, it builds an object of texts with the names of columns as keys.
func (d *Document) Object() gjson.Result {
	if d.Table == nil || d.Cells == nil {
		return d.Value
	}
	object := []byte{'{'}
	for i, cell := range d.Cells {
		object = gjson.AppendJSONString(object, d.Table.Names[i])
		object = append(gjson.AppendJSONString(append(object, ':'), cell), ',')
	}
	object[len(object)-1] = '}'
	return gjson.ParseBytes(object)
}

// Cell returns the text of a row of a table in a column. found is false without such a column.
func (d *Document) Cell(column string) (text string, found bool) {
	index, found := d.Table.places[column]
	found = found && index < len(d.Cells)
	if found {
		text = d.Cells[index]
	}
	return text, found
}

// Errorf returns an error with file and line. Errors of other rows with the same format are grouped as the same fault. If the format begins
// with a name, as in "%s is %q; …", only errors with the same name are grouped.
func (d *Document) Errorf(format string, args ...any) error {
	return &LineError{Path: d.File, Line: d.Line, Err: newRowFault(format, args)}
}

// Place returns where the value of a column is, as FILE:LINE, or FILE#SHEET!CELL in a spreadsheet.
func (d *Document) Place(column string) string {
	if d.Table != nil && d.Table.Sheet {
		if index := slices.Index(d.Table.Names, column); index >= 0 {
			return d.File + "!" + cellName(index, d.Line)
		}
	}
	return fmt.Sprintf("%s:%d", d.File, d.Line)
}

// cellName returns the name of a cell, such as C12 for column 2 (from 0) in row 12 (from 1).
func cellName(column, row int) string {
	letters := ""
	for column++; column > 0; column = (column - 1) / 26 {
		letters = string(rune('A'+(column-1)%26)) + letters
	}
	return fmt.Sprintf("%s%d", letters, row)
}

// Documents reads a file: JSON, JSON Lines, YAML, a table as text, Excel, Parquet or an .eval log. All but the log may be packed with gzip,
// zstd, bzip2 or zip. The content decides how a file is read, and for texts also the extension. FILE#SHEET is a sheet of an Excel file
// (default: the first), FILE#ENTRY an entry of a zip file.
//
// Records are yielded as they are read; only a JSON document that is not a list is held in memory. The error of a line is yielded in its
// place, and the next lines follow. note receives what had to be guessed, for instance that a text is in Windows-1252. If note is nil, a
// guess is an error.
func Documents(path string, note func(string)) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		u, err := unpack(path)
		if err != nil {
			yield(Document{}, err)
			return
		}
		defer u.Close()
		u.documents(note, yield)
	}
}

// documents yields the documents of an unpacked file. The first bytes decide the format: zip, Parquet, an unreadable format, or a text.
func (u *unpacked) documents(note func(string), yield func(Document, error) bool) {
	head := bufio.NewReaderSize(u.Reader, 1<<12)
	u.Reader = head
	magic, err := head.Peek(8)
	switch magic := string(magic); {
	case len(magic) == 0 && err != io.EOF:
		yield(Document{}, err)
	case strings.HasPrefix(magic, "PK\x03\x04"), strings.HasPrefix(magic, "PK\x05\x06"):
		u.zipped(note, yield)
	case strings.HasPrefix(magic, "PAR1"):
		u.parquet(yield)
	case magic == "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
		yield(Document{}, fmt.Errorf("%s is an Excel file of before 2007, or has a password; save it as .xlsx without a password, "+
			"or as CSV UTF-8", u.Path))
	case strings.HasPrefix(magic, "\xfd7zXZ"), strings.HasPrefix(magic, "7z\xbc\xaf"), strings.HasPrefix(magic, "Rar!"):
		yield(Document{}, fmt.Errorf("%s is packed in a way that is not read (xz, 7z or rar); unpack it first", u.Path))
	case u.part != "":
		yield(Document{}, fmt.Errorf("%s has no parts, so %s#%s is not in it", u.Path, u.Path, u.part))
	default:
		texts(u.Path, decoded(head, u.Path, note), note, yield)
	}
}

// mostHead is the number of bytes at the beginning of a text that decide its format.
const mostHead = 1 << 18

// texts yields the documents of a text. The extension or the first character decides: YAML, JSON Lines, a JSON list, JSON objects, another
// JSON value, files of TREC, or a table.
func texts(path string, r io.Reader, note func(string), yield func(Document, error) bool) {
	text := bufio.NewReaderSize(r, mostHead)
	head, err := text.Peek(mostHead)
	if len(head) == 0 && err != io.EOF {
		yield(Document{}, err)
		return
	}
	first := bytes.TrimLeft(head, " \t\r\n")
	is := func(c byte) bool { return len(first) > 0 && first[0] == c }
	ext := extension(path)
	switch {
	case ext == ".yaml" || ext == ".yml":
		content, err := readAll(text, path, MostText)
		if err == nil {
			content, err = jsonOfYAML(path, content)
		}
		yieldItems(path, content, err, yield)
	case ext == ".jsonl" || ext == ".ndjson":
		lines(path, text, yield)
	case ext != ".csv" && ext != ".tsv" && is('['):
		items(path, text, yield)
	case ext != ".csv" && ext != ".tsv" && is('{'):
		objects(path, text, yield)
	case ext == ".json" && len(first) > 0:
		document(path, text, yield)
	default:
		if names := trecColumns(string(head)); names != nil {
			trec(path, text, names, yield)
			return
		}
		tabled(path, text, string(head), note, yield)
	}
}

// extension returns the extension of a file's name in lower case, ignoring extensions of packers such as .gz.
func extension(path string) string {
	path = strings.ToLower(path)
	for _, packer := range []string{".gz", ".zst", ".bz2", ".zip"} {
		path = strings.TrimSuffix(path, packer)
	}
	return filepath.Ext(path)
}

// Readable reports whether a file in a folder has the extension of a data format.
func Readable(path string) bool {
	return slices.Contains([]string{".jsonl", ".ndjson", ".json", ".csv", ".xlsx", ".parquet", ".eval"}, extension(path))
}

// yieldItems yields the items of a JSON list, or the JSON document itself if it is not a list.
func yieldItems(path, text string, err error, yield func(Document, error) bool) {
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

// ReadItems decodes the items of a JSON list, or a single document. documents say where each item begins.
func ReadItems[T any](path string) (items []T, documents []Document, err error) {
	for d, err := range Documents(path, nil) {
		var item T
		if err == nil {
			err = json.Unmarshal([]byte(d.Object().Raw), &item)
			if err != nil {
				err = d.Errorf("in the item that begins here: %w", err)
			}
		}
		if err != nil {
			return nil, nil, err
		}
		items = append(items, item)
		documents = append(documents, d)
	}
	return items, documents, nil
}

// LineCounter returns a function that returns the line of an offset in a text. Offsets must not decrease from call to call.
func LineCounter(text string) func(offset int) int {
	line := 1
	counted := 0
	return func(offset int) int {
		line += strings.Count(text[counted:max(counted, offset)], "\n")
		counted = max(counted, offset)
		return line
	}
}

// items yields the items of a JSON list while it is being read.
func items(path string, text io.Reader, yield func(Document, error) bool) {
	numbered := &lineReader{r: &nullReader{r: bufio.NewReader(text)}, line: 1}
	in := json.NewDecoder(numbered)
	fail := func(err error) {
		yield(Document{File: path, Line: numbered.lineAt(in.InputOffset())}, jsonError(path, numbered, err))
	}
	if _, err := in.Token(); err != nil { // [
		fail(err)
		return
	}
	for in.More() {
		var raw json.RawMessage
		err := in.Decode(&raw)
		if err != nil {
			fail(err)
			return
		}
		line := numbered.lineAt(in.InputOffset() - int64(len(raw)))
		d := Document{File: path, Line: line}
		fault := boundedJSON(path, raw, line, MostColumns)
		if fault == nil {
			d.Value = gjson.ParseBytes(raw)
			d.Root = d.Value
		}
		if !yield(d, fault) {
			return
		}
	}
	if _, err := in.Token(); err != nil { // ]
		fail(err)
		return
	}
	if _, err := in.Token(); err == nil {
		fail(errors.New("there is more after the list"))
	} else if err != io.EOF {
		fail(err)
	}
}

// jsonError adds the line to an error in a JSON list. Errors of reading the file are returned unchanged.
func jsonError(path string, numbered *lineReader, err error) error {
	line := numbered.total()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && !errors.Is(err, io.ErrUnexpectedEOF) {
		line = numbered.lineAt(syntax.Offset)
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &LineError{path, line, errTruncated}
	} else if !ok && err.Error() != "there is more after the list" {
		return err // an error of reading the file
	}
	return &LineError{path, line, fmt.Errorf("not JSON: %w", err)}
}

var errTruncated = errors.New("not JSON: unexpected end of JSON input; the file is truncated")

// A lineReader counts lines while a text is read, so that lineAt can return the line of an offset.
type lineReader struct {
	r    io.Reader
	n    int64   // bytes read
	ends []int64 // offsets of the line feeds after the offset of the last lineAt call
	line int     // line of that offset, from 1
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.n+int64(i))
		}
	}
	l.n += int64(n)
	return n, err
}

// lineAt returns the line of an offset. Offsets must not decrease from call to call.
func (l *lineReader) lineAt(offset int64) int {
	passed := 0
	for passed < len(l.ends) && l.ends[passed] < offset {
		passed++
	}
	l.ends = append(l.ends[:0], l.ends[passed:]...)
	l.line += passed
	return l.line
}

// total returns the last line that was read so far.
func (l *lineReader) total() int { return l.line + len(l.ends) }

// objects yields the lines of a text as JSON Lines if its first line is a whole object and more text follows. Otherwise the text is one
// JSON document, which is held in memory once: a copy would double the memory for a large log.
func objects(path string, text *bufio.Reader, yield func(Document, error) bool) {
	var b bytes.Buffer
	grow := func() {
		if info, err := os.Stat(path); err == nil && b.Cap() < int(info.Size()) { // else it grows in steps, which takes twice the memory
			b.Grow(int(min(info.Size(), MostFile)) + bytes.MinRead)
		}
	}
	plain := bufio.NewReader(&nullReader{r: text})
	for {
		part, err := plain.ReadSlice('\n')
		b.Write(part)
		if err == nil && len(bytes.TrimSpace(b.Bytes())) == 0 {
			continue // blank lines above the first line
		} else if err != bufio.ErrBufferFull {
			break
		}
		grow()
	}
	next, _ := plain.Peek(1 << 12)
	if len(bytes.TrimSpace(next)) > 0 && b.Len() <= MostLine && json.Valid(b.Bytes()) {
		lines(path, bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(b.Bytes())), plain)), yield)
		return
	}
	grow()
	yieldDocument(path, &b, plain, yield)
}

// document yields a JSON document, or its items if it is a list.
func document(path string, text io.Reader, yield func(Document, error) bool) {
	yieldDocument(path, &bytes.Buffer{}, &nullReader{r: bufio.NewReader(text)}, yield)
}

// yieldDocument yields a JSON document, or its items if it is a list. begun is the part that has been read already.
func yieldDocument(path string, begun *bytes.Buffer, rest io.Reader, yield func(Document, error) bool) {
	_, err := io.Copy(begun, rest)
	content := unsafe.String(unsafe.SliceData(begun.Bytes()), begun.Len())
	if err == nil {
		err = validJSON(path, begun.Bytes(), 1, true)
	}
	if err == nil {
		err = boundedJSON(path, begun.Bytes(), 1, 0)
	}
	if err != nil {
		content = ""
	}
	yieldItems(path, content, err, yield)
}

// lines yields the lines of JSON Lines. An invalid line is yielded as an error, and the next lines follow.
func lines(path string, text *bufio.Reader, yield func(Document, error) bool) {
	var line []byte
	for number := 1; ; number++ {
		line = line[:0]
		part, err := text.ReadSlice('\n')
		for line = append(line, part...); err == bufio.ErrBufferFull && len(line) <= MostLine; line = append(line, part...) {
			part, err = text.ReadSlice('\n')
		}
		if err == bufio.ErrBufferFull {
			yield(Document{File: path, Line: number}, &LineError{path, number, fmt.Errorf("this line is longer than %d MiB", MostLine>>20)})
			return
		}
		if err != nil && err != io.EOF {
			yield(Document{File: path, Line: number}, err)
			return
		}
		if content := bytes.TrimSpace(line); len(content) > 0 {
			d := Document{File: path, Line: number}
			var fault error
			if !json.Valid(content) {
				content = withNulls(content)
				fault = validJSON(path, content, number, err == io.EOF)
			}
			if fault == nil {
				fault = boundedJSON(path, content, number, MostColumns)
			}
			if fault == nil {
				d.Value = gjson.ParseBytes(content)
				d.Root = d.Value
			}
			if !yield(d, fault) {
				return
			}
		}
		if err == io.EOF {
			return
		}
	}
}

// validJSON returns an error if a text is not JSON. line is the line of the file on which the text begins. last says that the file ends
// with the text, so that an early end means a truncated file.
func validJSON(path string, text []byte, line int, last bool) error {
	if json.Valid(text) {
		return nil
	}
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if ok {
		line += bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
	}
	if ok && last && int(syntax.Offset) >= len(bytes.TrimSpace(text)) && strings.HasPrefix(syntax.Error(), "unexpected end") {
		return &LineError{Path: path, Line: line, Err: errTruncated}
	}
	return &LineError{Path: path, Line: line, Err: fmt.Errorf("not JSON: %w", err)}
}

// Limits of input files: characters of a number, columns of a table or fields of a row, levels of nested JSON, and arguments of a question.
// Beyond them, reading could take quadratic time or all memory.
const (
	MostDigits  = 400
	MostColumns = 10000
	MostLevels  = 200
	MostItems   = 10000
)

// boundedJSON returns an error if a JSON text has a number that is too long, or is nested too deeply. It also refuses an object with more
// than most fields at the top level; 0 means no limit. line is the line of the file on which the text begins.
func boundedJSON(path string, text []byte, line, most int) error {
	level := 0
	fields := 0
	fail := func(index int, format string, args ...any) error {
		return &LineError{Path: path, Line: line + bytes.Count(text[:index], []byte{'\n'}), Err: fmt.Errorf(format, args...)}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '[' || c == '{':
			level++
			if level > MostLevels {
				return fail(i, "lists and objects are nested in more than %d levels", MostLevels)
			}
		case c == ']' || c == '}':
			level--
		case c == ':' && level == 1 && most > 0:
			fields++
			if fields > most {
				return fail(i, "a row has more than %d fields; at most these are read", most)
			}
		case c == '-' || c >= '0' && c <= '9':
			first := i
			for i+1 < len(text) && strings.IndexByte("0123456789+-.eE", text[i+1]) >= 0 {
				i++
			}
			if i-first >= MostDigits {
				return fail(first, "a number has %d characters; at most %d are read", i-first+1, MostDigits)
			}
		}
	}
	return nil
}

// withNulls replaces NaN and Infinity in a JSON text by null.
func withNulls(text []byte) []byte {
	plain, _ := io.ReadAll(&nullReader{r: bufio.NewReader(bytes.NewReader(text))}) // a text in memory has no errors
	return plain
}

// A nullReader reads JSON and replaces NaN, Infinity and -Infinity, which Python writes, by null. Strings stay as they are.
type nullReader struct {
	r                 *bufio.Reader
	inString, escaped bool
}

// Read copies the text byte by byte, and replaces each of the three words outside of strings.
func (n *nullReader) Read(p []byte) (filled int, err error) {
	for filled+len("null") <= len(p) {
		c, err := n.r.ReadByte()
		if err != nil {
			return filled, err
		}
		switch {
		case n.inString:
			n.inString = n.escaped || c != '"'
			n.escaped = c == '\\' && !n.escaped
		case c == '"':
			n.inString = true
		case c == 'N' || c == 'I' || c == '-':
			word := map[byte]string{'N': "NaN", 'I': "Infinity", '-': "-Infinity"}[c]
			if next, _ := n.r.Peek(len(word) - 1); string(next) == word[1:] {
				n.r.Discard(len(next))
				filled += copy(p[filled:], "null")
				continue
			}
		}
		p[filled] = c
		filled++
	}
	if filled == 0 && len(p) > 0 {
		return 0, io.ErrShortBuffer
	}
	return filled, nil
}

// jsonOfYAML converts a YAML document to JSON.
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

// evalHeaders are the entries of an .eval log that describe the log as a whole: of a complete log, and of one that is still being written.
var evalHeaders = []string{"header.json", "_journal/start.json"}
