package data

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// zipped yields the documents of a zip file, by its content: an .eval log, a sheet of an Excel file, or one entry.
func (u *unpacked) zipped(note func(string), yield func(Document, error) bool) {
	r, size, err := u.readerAt()
	var z *zip.Reader
	if err == nil {
		z, err = archive(u.Path, r, size)
	}
	if err != nil {
		yield(Document{}, err)
		return
	}
	has := func(name string) bool {
		return slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	}
	switch {
	case slices.ContainsFunc(evalHeaders, has):
		u.eval(z, yield)
	case has("xl/workbook.xml") || has("[Content_Types].xml"):
		u.excel(z, io.NewSectionReader(r, 0, size), note, yield)
	case has("mimetype") && has("content.xml"):
		yield(Document{}, fmt.Errorf("%s is an OpenDocument file; save it as .xlsx, or as CSV", u.Path))
	default:
		u.entry(z, note, yield)
	}
}

// eval yields the samples of an inspect_ai log, sorted by name. Entries are packed with zstd (method 93) or, in older versions, with
// deflate.
func (u *unpacked) eval(z *zip.Reader, yield func(Document, error) bool) {
	header := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == evalHeaders[0] })
	if header < 0 {
		header = slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == evalHeaders[1] })
	}
	root, err := jsonEntry(u.Path, z.File[max(header, 0)])
	if err != nil {
		yield(Document{}, err)
		return
	}
	samples := slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool {
		return !strings.HasPrefix(f.Name, "samples/") || !strings.HasSuffix(f.Name, ".json")
	})
	if len(samples) == 0 {
		yield(Document{}, fmt.Errorf("%s has no samples", u.Path))
	}
	slices.SortFunc(samples, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) }) // not in order of finishing
	for _, f := range samples {
		sample, err := jsonEntry(u.Path, f)
		if !yield(Document{File: u.Path + ":" + f.Name, Line: 1, Root: root, Value: sample}, err) {
			return
		}
	}
}

func jsonEntry(path string, f *zip.File) (gjson.Result, error) {
	place := path + ":" + f.Name
	r, err := entry(place, f)
	if err != nil {
		return gjson.Result{}, err
	}
	defer r.Close()
	text, err := readAll(r, place, MostEntry)
	if err != nil {
		return gjson.Result{}, err
	}
	plain := []byte(text)
	if !json.Valid(plain) {
		plain = withNulls(plain)
		err = validJSON(place, plain, 1, true)
	}
	return gjson.ParseBytes(plain), err
}

// entry yields the documents of one entry of a zip file: the one after # in the file's name, or the only one.
func (u *unpacked) entry(z *zip.Reader, note func(string), yield func(Document, error) bool) {
	files := tablesIn(z)
	names := Each(files, func(f *zip.File) string { return f.Name })
	index := slices.Index(names, u.part)
	switch {
	case len(files) == 0:
		yield(Document{}, fmt.Errorf("%s is a zip file without a file in it", u.Path))
		return
	case u.part == "" && len(files) > 1:
		yield(Document{}, fmt.Errorf("%s has %d files; say which one is meant: %s#%s%s", u.Path, len(files), u.Path, names[0],
			orMore(names[1:])))
		return
	case u.part == "":
		index = 0
	case index < 0:
		yield(Document{}, fmt.Errorf("%s has no file %q%s", u.Path, u.part, Suggest(u.part, "files", names)))
		return
	}
	place := u.Path + ":" + names[index]
	r, err := entry(place, files[index])
	if err != nil {
		yield(Document{}, err)
		return
	}
	defer r.Close()
	inner := &unpacked{Reader: r, Path: place}
	inner.documents(note, yield)
}

func orMore(names []string) string {
	if len(names) > 5 {
		return fmt.Sprintf(", #%s and %d more", strings.Join(names[:5], ", #"), len(names)-5)
	}
	return ", #" + strings.Join(names, ", #")
}

// excel yields the rows of the first sheet with cells, or of the sheets after # in the file's name, such as #A+B.
func (u *unpacked) excel(z *zip.Reader, r io.Reader, note func(string), yield func(Document, error) bool) {
	book, err := Spreadsheets.Excel(r, MostEntry)
	if err != nil {
		yield(Document{}, fmt.Errorf("reading %s: %w", u.Path, err))
		return
	}
	defer book.Close()
	names, filled := book.Sheets()
	sheets := []string{u.part}
	if !slices.Contains(names, u.part) {
		sheets = strings.Split(u.part, "+")
	}
	unknown, isUnknown := First(sheets, func(name string) bool { return !slices.Contains(names, name) })
	switch {
	case len(names) == 0:
		yield(Document{}, fmt.Errorf("%s has no sheet with cells", u.Path))
		return
	case u.part == "":
		sheets = filled[:1]
		if note != nil && len(filled) > 1 {
			note(fmt.Sprintf("%s has %d sheets; the first, %q, was read. For another: %s#SHEET (%s); for several: #%s", u.Path, len(filled),
				filled[0], u.Path, strings.Join(filled[1:], ", "), strings.Join(filled[:2], "+")))
		}
	case isUnknown:
		yield(Document{}, fmt.Errorf("%s has no sheet %q%s", u.Path, unknown, Suggest(unknown, "sheets", names)))
		return
	}
	more := true
	for _, name := range sheets {
		u.sheet(z, book, name, note, func(d Document, err error) bool {
			more = more && yield(d, err)
			return more
		})
		if !more {
			return
		}
	}
}

// sheet yields the rows of one sheet of an Excel file, with merged cells filled.
func (u *unpacked) sheet(z *zip.Reader, book Workbook, name string, note func(string), yield func(Document, error) bool) {
	path := u.Path + "#" + name
	next, err := book.Rows(name)
	if err != nil {
		yield(Document{}, fmt.Errorf("reading %s: %w", path, err))
		return
	}
	ranges, err := mergedRanges(z, name)
	if err != nil {
		yield(Document{}, fmt.Errorf("reading %s: %w", path, err))
		return
	}
	row := 0
	merged := newMergedRows(ranges)
	header := &Header{Sheet: true, merged: merged}
	rowsOf(path, func() ([]string, int, error) {
		cells, err := next()
		row++
		if err == nil {
			cells = merged.fill(row, cells)
		}
		return cells, row, err
	}, header, note, yield)
	if note != nil {
		merged.say(path, header.Line, note)
	}
}

// parquet yields the rows of a Parquet file as objects.
func (u *unpacked) parquet(yield func(Document, error) bool) {
	r, size, err := u.readerAt()
	if err != nil {
		yield(Document{}, err)
		return
	}
	end := make([]byte, 4)
	if _, err := r.ReadAt(end, size-4); err != nil && err != io.EOF || !bytes.Equal(end, []byte("PAR1")) {
		yield(Document{}, fmt.Errorf("%s is a Parquet file without its end: it is truncated; copy or download it again", u.Path))
		return
	}
	row := 0
	written := int64(0)
	for text, err := range Spreadsheets.Parquet(r, size, MostFile) {
		row++
		d := Document{File: u.Path, Line: row}
		written += int64(len(text))
		if err != nil {
			yield(d, fmt.Errorf("reading %s: %w", u.Path, err))
			return
		} else if written > freeSize && written > mostRatio*size {
			yield(d, unpacksTo(u.Path, written, size))
			return
		}
		d.Value = gjson.ParseBytes(text)
		d.Root = d.Value
		if !yield(d, nil) {
			return
		}
	}
}
