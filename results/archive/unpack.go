package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"compqa/results/store"
)

// What a file may hold at most, so that one that was packed to do harm fills no
// disk: bytes by the file's own size, beyond a size that harms nobody, and files.
// Real exports unpack to between 3 and 10 times their size.
const (
	mostTimes    = 100
	mostAnyhow   = 64 << 20
	mostFiles    = 200
	mostManifest = 1 << 20
)

// A NoExportError says that a file is no export that this program can read.
type NoExportError struct{ err error }

func (e NoExportError) Error() string { return e.err.Error() }
func (e NoExportError) Unwrap() error { return e.err }

// An unpacking puts an export's files into a folder and compares them with what
// the manifest lists. A file that is not as listed does not end it: what is
// computed from the files tells more exactly what was changed.
type unpacking struct {
	Manifest
	dir   string
	left  int64            // bytes that may yet come
	found map[string]int64 // files and their sizes
	fault error            // ErrDifference: the first file that is not as listed
}

func noExport(format string, args ...any) error { return NoExportError{fmt.Errorf(format, args...)} }

// unpack unpacks a file into dir.
func unpack(ctx context.Context, file, dir string) (*unpacking, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, noExport("it is a folder; `compqa export --run %s --out FILE` makes an export of a run's", file)
	}
	zip, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, noExport("it is no export of compqa (%w)", err)
	}
	u := &unpacking{dir: dir, left: max(mostAnyhow, mostTimes*info.Size()), found: map[string]int64{}}
	if err := os.Mkdir(filepath.Join(dir, tablesFolder), 0o755); err != nil {
		return nil, err
	}
	if err := u.read(ctx, tar.NewReader(zip)); err != nil {
		return nil, err
	}
	// What follows the archive's end is padding; to read it checks the file's own sum.
	rest, err := io.ReadAll(io.LimitReader(zip, mostManifest))
	if err != nil {
		return nil, noExport("it is damaged behind its last file (%w)", err)
	}
	if len(rest) == mostManifest || strings.Trim(string(rest), "\x00") != "" {
		return nil, noExport("something follows its last file")
	}
	return u, u.compare()
}

// read reads the manifest and takes in the files.
func (u *unpacking) read(ctx context.Context, archive *tar.Reader) error {
	first, err := archive.Next()
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return noExport("it is no export of compqa (%w)", err)
	case err != nil || first.Name != exportFolder+manifestName || first.Size > mostManifest:
		return noExport("it is no export of compqa: it does not begin with a %s", manifestName)
	}
	d := json.NewDecoder(archive)
	if err := d.Decode(&u.Manifest); err != nil {
		return noExport("its manifest cannot be read: %w", err)
	}
	if u.Format < 1 || u.Format > exportFormat {
		return noExport("it has format %d; this compqa knows formats up to %d: use a newer compqa", u.Format, exportFormat)
	}
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return noExport("it breaks off, or is damaged (%w)", err)
		}
		if err := u.take(ctx, h, archive); err != nil {
			return err
		}
	}
}

// take takes in one file. Only names that an export has come near the disk.
func (u *unpacking) take(ctx context.Context, h *tar.Header, content io.Reader) error {
	name, ours := strings.CutPrefix(h.Name, exportFolder)
	folder, base := path.Split(name)
	if !ours || h.Typeflag != tar.TypeReg || base == "" || base == ".." || strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(name)) ||
		folder != tablesFolder+"/" && name != configName && name != store.RecordName {
		return noExport("it holds %q, which no export does", h.Name)
	}
	if _, twice := u.found[name]; twice || len(u.found) >= mostFiles {
		return noExport("it holds %s twice, or too many files", name)
	}
	if u.left -= h.Size; u.left < 0 {
		return noExport("its files are much too large for it: %s alone has %d bytes", name, h.Size)
	}
	u.found[name] = h.Size
	f, err := os.Create(filepath.Join(u.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	_, err = io.Copy(interruptedBy(ctx, f), content)
	err = errors.Join(err, f.Close())
	var ofDisk *fs.PathError
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, &ofDisk):
		return err
	}
	return noExport("it breaks off in %s, or is damaged there (%w)", name, err)
}

// compare compares what was found with what the manifest lists.
func (u *unpacking) compare() error {
	differ := func(format string, args ...any) {
		if u.fault == nil {
			u.fault = Differ(format, args...)
		}
	}
	listed := map[string]bool{}
	for _, f := range u.Files {
		if listed[f.Name] {
			return noExport("its manifest lists %s twice", f.Name)
		}
		listed[f.Name] = true
		if _, ok := u.found[f.Name]; !ok {
			differ("the manifest lists %s, and the export does not hold it", f.Name)
			continue
		}
		found, err := describe(u.dir, f.Name)
		if err != nil {
			return err
		}
		if found != f {
			differ("%s is not the file that was exported: it has %d bytes and the SHA-256 %s, and the manifest says %d and %s", f.Name, found.Size, found.SHA256, f.Size, f.SHA256)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.found)) {
		if !listed[name] {
			differ("the export holds %s, and the manifest does not list it", name)
		}
	}
	for _, name := range []string{store.RecordName, configName} {
		if _, ok := u.found[name]; !ok {
			return noExport("there is no %s in it", name)
		}
	}
	return nil
}
