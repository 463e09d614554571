package data

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Limits of files, in bytes: MostLine for a line of JSON Lines or a row of a table; MostText for a text that is not a table or list;
// MostEntry for an unpacked entry of a zip file; MostFile for an unpacked file. Beyond freeSize, a file must not unpack to more than
// mostRatio times its size: real data is seldom packed to less than a fiftieth.
const (
	MostLine  = 64 << 20
	MostText  = 64 << 20
	MostEntry = 256 << 20
	MostFile  = 1 << 30
	mostRatio = 200
	freeSize  = 10 << 20
)

// An unpacked is an open file: its content without gzip, zstd or bzip2, or a zip or Parquet file.
type unpacked struct {
	io.Reader
	Path  string // name of the file for messages
	part  string // the sheet or entry that follows # in the name
	file  *os.File
	close []func() error
}

// Close closes the file and its decompressors.
func (u *unpacked) Close() {
	for _, end := range u.close {
		end()
	}
}

// openInput opens a regular file, or standard input for "-". If the name does not exist, it may end in #PART. Devices and pipes are
// refused, since they may have no end.
func openInput(name string) (*unpacked, error) {
	if name == "-" {
		return &unpacked{Reader: os.Stdin, Path: "standard input"}, nil
	}
	info, err := os.Stat(name) // Stat first, since opening a pipe waits for its writer
	part := ""
	if index := strings.LastIndexByte(name, '#'); errors.Is(err, fs.ErrNotExist) && index > 0 {
		if short, fault := os.Stat(name[:index]); fault == nil {
			name, part, info, err = name[:index], name[index+1:], short, nil
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", name, errors.Unwrap(err))
	case info.IsDir():
		return nil, fmt.Errorf("cannot read %s: it is a folder", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("cannot read %s: it is not a regular file; - reads standard input", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, errors.Unwrap(err))
	}
	return &unpacked{Reader: f, Path: name, part: part, file: f, close: []func() error{f.Close}}, nil
}

// unpack opens a file and decompresses gzip, zstd and bzip2, which may be nested twice.
func unpack(name string) (*unpacked, error) {
	u, err := openInput(name)
	if err != nil {
		return nil, err
	}
	u.Reader = &limitedReader{r: u.Reader, path: u.Path}
	for range 3 {
		packed := &countedReader{r: u.Reader}
		head := bufio.NewReader(packed)
		magic, _ := head.Peek(4)
		limited := &limitedReader{r: head, path: u.Path, packed: packed}
		switch {
		case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
			limited.what = "gzip"
			limited.r, err = gzip.NewReader(head)
		case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
			limited.what = "zstd"
			var z *zstd.Decoder
			z, err = zstd.NewReader(head, zstd.WithDecoderMaxMemory(128<<20), zstd.WithDecoderConcurrency(1))
			if err == nil {
				limited.r = z
				u.close = append(u.close, func() error { z.Close(); return nil })
			}
		case bytes.HasPrefix(magic, []byte("BZh")):
			limited.what, limited.r = "bzip2", bzip2.NewReader(head)
		default:
			u.Reader = head
			return u, nil
		}
		if err != nil {
			u.Close()
			return nil, limited.fault(err)
		}
		ahead := bufio.NewReaderSize(limited, freeSize+1) // a file that unpacks to too much is refused before its first row is read
		if _, err := ahead.Peek(freeSize + 1); err != nil && err != io.EOF {
			u.Close()
			return nil, err
		}
		u.Reader = ahead
		u.file = nil
	}
	u.Close()
	return nil, fmt.Errorf("%s is packed more than twice; unpack it first", u.Path)
}

// A countedReader counts the bytes that it reads.
type countedReader struct {
	r io.Reader
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// A limitedReader returns an error if more than MostFile bytes are read. It also refuses packed data that, beyond freeSize, unpack to more
// than mostRatio times their size.
type limitedReader struct {
	r      io.Reader
	path   string
	what   string
	packed *countedReader // nil if the file is not packed
	n      int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.n += int64(n)
	switch {
	case l.n > MostFile:
		return 0, fmt.Errorf("%s has more than %d MiB", l.path, MostFile>>20)
	case l.packed != nil && l.n > freeSize && l.n > mostRatio*l.packed.n:
		return 0, unpacksTo(l.path, l.n, l.packed.n)
	case err == nil || err == io.EOF:
		return n, err
	}
	return n, l.fault(err)
}

func unpacksTo(path string, unpacked, packed int64) error {
	return fmt.Errorf("%s unpacks to more than %d times its size (%d bytes to more than %d); it is not read. "+
		"If its content is right, unpack it yourself", path, mostRatio, packed, unpacked)
}

// fault turns an error of a decompressor into one that says whether the file is truncated or damaged.
func (l *limitedReader) fault(err error) error {
	switch {
	case l.what == "":
		return fmt.Errorf("reading %s: %w", l.path, err)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%s is truncated: its %s data end in the middle; copy or download it again", l.path, l.what)
	}
	return fmt.Errorf("%s is damaged: %s: %w", l.path, l.what, err)
}

// readerAt returns the whole file, for formats that are read from the end.
func (u *unpacked) readerAt() (io.ReaderAt, int64, error) {
	if u.file != nil {
		info, err := u.file.Stat()
		if err != nil {
			return nil, 0, fmt.Errorf("reading %s: %w", u.Path, err)
		}
		return u.file, info.Size(), nil
	}
	content, err := readAll(u.Reader, u.Path, MostEntry)
	return strings.NewReader(content), int64(len(content)), err
}

// readAll reads a text. More than most bytes are an error.
func readAll(r io.Reader, path string, most int64) (string, error) {
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	if err != nil {
		return "", err
	} else if n > most {
		return "", fmt.Errorf("%s has more than %d MiB", path, most>>20)
	}
	return b.String(), nil
}

// archive opens a zip file. It refuses files that unpack to too much, and entries that overlap.
func archive(path string, r io.ReaderAt, size int64) (*zip.Reader, error) {
	z, err := zip.NewReader(r, size)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s is a zip file without its end: it is truncated or damaged; copy or download it again", path)
	} else if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(MostEntry)))
	type span struct{ from, to int64 }
	var spans []span
	total := uint64(0)
	for _, f := range z.File {
		total += min(f.UncompressedSize64, 1<<40)
		if total > freeSize && total > mostRatio*uint64(size) {
			return nil, unpacksTo(path, int64(total), size)
		} else if total > MostFile {
			return nil, fmt.Errorf("%s unpacks to more than %d MiB", path, MostFile>>20)
		}
		from, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("%s is damaged: the entry %s is not where it should be", path, f.Name)
		}
		spans = append(spans, span{from, from + int64(f.CompressedSize64)})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return nil, fmt.Errorf("%s has entries that overlap, which no honest zip file has; it is not read", path)
		}
	}
	return z, nil
}

// entry opens one entry of a zip file. archive/zip stops reading when the entry is longer than its header says.
func entry(name string, f *zip.File) (io.ReadCloser, error) {
	r, err := f.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, fmt.Errorf("%s is packed by method %d, which is not known, or has a password; unpack it first", name, f.Method)
	} else if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&limitedReader{r: r, path: name, what: "zip"}, r}, nil
}

// tablesIn returns the entries of a zip file that may be tables or lists, without folders, hidden files and files that macOS adds.
func tablesIn(z *zip.Reader) []*zip.File {
	return slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool {
		return f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || strings.HasPrefix(path.Base(f.Name), ".")
	})
}
