package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

	"github.com/klauspost/compress/gzip"

	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
)

// Limits that keep a malicious file from filling the disk: unpacked size relative to the packed size (mostTimes), an unpacked size that is
// always allowed (mostAnyhow, bytes), the number of files, and the manifest's size (bytes). Real exports unpack to 3 to 10 times their
// size.
const (
	mostTimes    = 100
	mostAnyhow   = 64 << 20
	mostFiles    = 200
	mostManifest = 1 << 20
)

// mostUnpacked returns the greatest total size in bytes that the files of an export may have, given its packed size in bytes.
func mostUnpacked(packed int64) int64 { return max(mostAnyhow, mostTimes*packed) }

// A NoExportError reports a file that is not a readable export.
type NoExportError struct{ error }

func (e NoExportError) Unwrap() error { return e.error }

// An unpacking writes an export's files to a folder and compares them with the manifest. It continues after a file that differs, because
// recomputing the tables locates the change more precisely.
type unpacking struct {
	Manifest
	dir   string
	left  int64                   // bytes that may still be unpacked
	found map[string]ManifestFile // the unpacked files, by name
	fault error                   // an ErrDifference: the first file that differs from the manifest; nil: no file differs
}

func noExport(format string, args ...any) error { return NoExportError{fmt.Errorf(format, args...)} }

// unpack writes the files of an export to dir and compares them with its manifest. The error is a NoExportError if the file is no readable
// export. A file that differs from the manifest is not an error, but the result's fault.
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
		return nil, noExport("it is a folder; `compqa export %s --out FILE` exports the run in it", file)
	}
	zip, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, noExport("it is not an export of compqa (%w)", err)
	}
	u := &unpacking{dir: dir, left: mostUnpacked(info.Size()), found: map[string]ManifestFile{}}
	for _, folder := range []string{tablesFolder, validationFolder} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, err
		}
	}
	if err := u.read(ctx, tar.NewReader(zip)); err != nil {
		return nil, err
	}
	// The padding after the archive is read, too, which verifies gzip's checksum.
	rest, err := io.ReadAll(io.LimitReader(zip, mostManifest))
	if err != nil {
		return nil, noExport("it is damaged after its last file (%w)", err)
	}
	if len(rest) == mostManifest || strings.Trim(string(rest), "\x00") != "" {
		return nil, noExport("there are data after its last file")
	}
	return u, u.compare()
}

// read reads the archive: first its manifest, then its other files.
func (u *unpacking) read(ctx context.Context, archive *tar.Reader) error {
	first, err := archive.Next()
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return noExport("it is not an export of compqa (%w)", err)
	case err != nil || first.Name != exportFolder+manifestName || first.Size > mostManifest:
		return noExport("it is not an export of compqa: it does not begin with %s", manifestName)
	}
	if err := u.readManifest(archive); err != nil {
		return err
	}
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return noExport("it is truncated or damaged (%w)", err)
		}
		if err := u.take(ctx, h, archive); err != nil {
			return err
		}
	}
}

// readManifest reads the manifest. It first checks the format alone, so that the error of an unknown format names the format and not a
// field.
func (u *unpacking) readManifest(text io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(text, mostManifest))
	if err != nil {
		return noExport("its manifest cannot be read: %w", err)
	}
	var made struct {
		Format            int
		Program, Revision string
	}
	if err := json.Unmarshal(content, &made); err != nil {
		return noExport("its manifest cannot be read: %w", err)
	}
	by := fmt.Sprintf("it is said to be made by compqa %s, commit %s", table.Printable(made.Program), table.Printable(made.Revision))
	switch {
	case made.Format > exportFormat:
		return noExport("it has format %d; this compqa reads formats up to %d: use a newer compqa (%s)", made.Format, exportFormat, by)
	case made.Format < 1:
		return noExport("its manifest cannot be read: it has the format %d", made.Format)
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(&u.Manifest); err != nil {
		return noExport("its manifest has other fields than those of today's format %d (%w). An export of an older format is verified "+
			"with the version that made it: %s", made.Format, err, by)
	}
	return nil
}

// take writes one file of the archive to the folder. It rejects names that are not of an export, files that occur twice, and too many
// bytes.
func (u *unpacking) take(ctx context.Context, h *tar.Header, content io.Reader) error {
	name, ours := strings.CutPrefix(h.Name, exportFolder)
	folder, base := path.Split(name)
	if !ours || h.Typeflag != tar.TypeReg || base == "" || base == ".." || strings.Contains(name, `\`) || !filepath.IsLocal(name) ||
		folder != tablesFolder+"/" && folder != validationFolder+"/" &&
			!slices.Contains([]string{configName, store.RecordName, validation.InputName}, name) {
		return noExport("it contains %q, which is not a file of an export", h.Name)
	}
	if _, twice := u.found[name]; twice || len(u.found) >= mostFiles {
		return noExport("it contains %s twice, or too many files", name)
	}
	u.left -= h.Size
	if u.left < 0 {
		return noExport("its files are too large: %s has %d bytes", name, h.Size)
	}
	f, err := os.Create(filepath.Join(u.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(interruptedBy(ctx, io.MultiWriter(f, sum)), content)
	u.found[name] = ManifestFile{name, h.Size, hex.EncodeToString(sum.Sum(nil))}
	if err = errors.Join(err, f.Close()); err == nil || ctx.Err() != nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return noExport("it is truncated or damaged in %s (%w)", name, err)
}

// compare compares the unpacked files with the manifest. It sets u.fault to the first difference. It returns a NoExportError if the
// manifest lists a file twice, or the record or the configuration is missing.
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
		found, ok := u.found[f.Name]
		if !ok {
			differ("the manifest lists %s, but the export does not contain it", f.Name)
			continue
		}
		if found != f {
			differ("%s was changed: it has %d bytes and SHA-256 %s; the manifest has %d and %s", f.Name, found.Size, found.SHA256, f.Size, f.SHA256)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.found)) {
		if !listed[name] {
			differ("the export contains %s, but the manifest does not list it", name)
		}
	}
	for _, name := range []string{store.RecordName, configName} {
		if _, ok := u.found[name]; !ok {
			return noExport("it has no %s", name)
		}
	}
	return nil
}
