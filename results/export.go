package results

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An export is one file (tar, gzip) by which anybody can check a run's tables:
//
//	compqa-run/manifest.json   what it is, and the SHA-256 of all that follows
//	compqa-run/config.json     the configuration the run was made with
//	compqa-run/run.db          the record
//	compqa-run/tables/…        the tables, as a report writes them
const (
	exportFormat  = 1
	exportFolder  = "compqa-run/"
	manifestName  = "manifest.json"
	configName    = "config.json"
	tablesFolder  = "tables"
	mostManifest  = 1 << 20 // bytes; a manifest is a few kilobytes
	exportedBytes = 1 << 40 // what a file may hold at most, packed badly on purpose or not
)

// A Manifest says what an export holds.
type Manifest struct {
	Format      int            `json:"format"`
	Program     string         `json:"program"`
	Revision    string         `json:"revision"`
	DataHash    string         `json:"data_hash"`
	RubricHash  string         `json:"rubric_hash"`
	ReleaseHash string         `json:"release_hash,omitempty"`
	Seed        int64          `json:"seed"`
	Replies     bool           `json:"replies"` // the judges' replies are in it
	Bodies      bool           `json:"bodies"`  // so are requests and responses as they were sent
	Files       []ManifestFile `json:"files"`
}

// A ManifestFile is one file of an export.
type ManifestFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ExportOptions say what is left out of an export.
type ExportOptions struct {
	WithoutReplies   bool   // raw replies of judges and models: verdicts can then not be read anew
	WithBodies       bool   // requests and responses as they were sent
	Program, Version string // of who exports
}

// Export writes the record in dir, with its tables, into one file, which appears
// under its name when it is complete. The tables are computed from the record.
func Export(dir, file string, o ExportOptions) (Manifest, error) {
	work, err := os.MkdirTemp("", "compqa-export-*")
	if err != nil {
		return Manifest{}, fmt.Errorf("exporting %s: %w", dir, err)
	}
	defer os.RemoveAll(work)
	if err := copyRecord(dir, work, o); err != nil {
		return Manifest{}, err
	}
	run, err := writeTables(work, filepath.Join(work, tablesFolder), nil)
	if err != nil {
		return Manifest{}, err
	}
	made := run.Made[0]
	if err := os.WriteFile(filepath.Join(work, configName), []byte(made.Config), 0o644); err != nil {
		return Manifest{}, fmt.Errorf("exporting %s: %w", dir, err)
	}
	m := Manifest{Format: exportFormat, Program: o.Program, Revision: o.Version, DataHash: made.DataHash, RubricHash: made.RubricHash,
		ReleaseHash: made.ReleaseHash, Seed: made.Seed, Replies: !o.WithoutReplies, Bodies: o.WithBodies}
	if m.Files, err = listFiles(work); err != nil {
		return m, fmt.Errorf("exporting %s: %w", dir, err)
	}
	err = writeFile(file, func(w io.Writer) error { return pack(w, work, m) })
	if err != nil {
		return m, fmt.Errorf("writing %s: %w", file, err)
	}
	return m, nil
}

// writeTables writes all tables of the record in dir into the folder to: those
// of a report and, where there are preferences, theirs. It returns what the
// record holds, and the verdicts that rescore (nil: none) reads otherwise.
func writeTables(dir, to string, rescore Rescore) (*Run, error) {
	run, changes, err := load(rescore, dir)
	if err != nil {
		return nil, err
	}
	if len(changes) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrDifference, changes[0])
	}
	if err := report(run, to, io.Discard); err != nil {
		return nil, err
	}
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	pairs, err := s.hasPairs()
	s.Close()
	if err == nil && pairs {
		err = PairwiseReport(dir, to, io.Discard)
	}
	return run, err
}

// copyRecord copies the record in dir into a folder, as of one moment, without
// what is left out. A run may be writing it meanwhile.
func copyRecord(dir, to string, o ExportOptions) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	s.Close()
	path, copied := filepath.Join(dir, RecordName), filepath.Join(to, RecordName)
	whole := copied + ".whole"
	if err := vacuumInto(path, whole, nil); err != nil {
		return err
	}
	defer os.Remove(whole)
	cuts := []string{`DROP TABLE IF EXISTS reported`} // what was printed, with the path of a folder here
	if !o.WithBodies {
		cuts = append(cuts, `UPDATE calls SET request = '', raw = ''`)
	}
	if o.WithoutReplies {
		cuts = append(cuts, `UPDATE calls SET reply = '', reasoning = '', raw = ''`, `UPDATE verdicts SET raw = ''`, `UPDATE answers SET reasoning = ''`)
	}
	return vacuumInto(whole, copied, cuts)
}

// vacuumInto copies a database without the room that is free in it, after
// changes to it.
func vacuumInto(from, to string, changes []string) error {
	s, err := connect(from, url.Values{"_pragma": {"busy_timeout(5000)"}})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, change := range append(changes, `VACUUM INTO '`+strings.ReplaceAll(to, "'", "''")+`'`) {
		if _, err := s.db.Exec(change); err != nil {
			return fault("copying", from, err)
		}
	}
	return nil
}

// listFiles are the files of an export's folder, the tables last.
func listFiles(dir string) ([]ManifestFile, error) {
	names := []string{configName, RecordName}
	tables, err := os.ReadDir(filepath.Join(dir, tablesFolder))
	if err != nil {
		return nil, err
	}
	for _, e := range tables {
		names = append(names, path.Join(tablesFolder, e.Name()))
	}
	files := make([]ManifestFile, len(names))
	for i, name := range names {
		if files[i], err = describe(dir, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func describe(dir, name string) (ManifestFile, error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return ManifestFile{}, err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	return ManifestFile{name, size, hex.EncodeToString(h.Sum(nil))}, err
}

// pack writes an export. It holds no times and no owners, so that the same
// record gives the same tables and list of files.
func pack(w io.Writer, dir string, m Manifest) error {
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	header := func(name string, size int64) error {
		return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: exportFolder + name, Size: size, Mode: 0o644, Format: tar.FormatPAX})
	}
	if err := header(manifestName, int64(len(manifest))); err != nil {
		return err
	}
	if _, err := archive.Write(manifest); err != nil {
		return err
	}
	for _, file := range m.Files {
		if err := header(file.Name, file.Size); err != nil {
			return err
		}
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(file.Name)))
		if err != nil {
			return err
		}
		_, err = io.Copy(archive, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zip.Close())
}

// A NoExportError says that a file is no export that this program can read.
type NoExportError struct{ err error }

func (e NoExportError) Error() string { return e.err.Error() }
func (e NoExportError) Unwrap() error { return e.err }

// unpack puts an export's files into a folder. Files that are not the listed
// ones are a difference.
func unpack(file, dir string) (Manifest, error) {
	var m Manifest
	no := func(format string, args ...any) (Manifest, error) {
		return m, NoExportError{fmt.Errorf("%s: "+format, append([]any{file}, args...)...)}
	}
	f, err := os.Open(file)
	if err != nil {
		return m, err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return no("it is no export of compqa (%w)", err)
	}
	archive := tar.NewReader(zip)
	first, err := archive.Next()
	if err != nil || first.Name != exportFolder+manifestName {
		return no("it is no export of compqa: it does not begin with %s", manifestName)
	}
	if err := json.NewDecoder(io.LimitReader(archive, mostManifest)).Decode(&m); err != nil {
		return no("its manifest cannot be read: %w", err)
	}
	if m.Format < 1 || m.Format > exportFormat {
		return no("it has format %d; this compqa knows formats up to %d: use a newer compqa", m.Format, exportFormat)
	}
	if err := os.Mkdir(filepath.Join(dir, tablesFolder), 0o755); err != nil {
		return m, err
	}
	for _, listed := range m.Files {
		next, err := archive.Next()
		if err != nil {
			return no("it breaks off before %s (%w)", listed.Name, err)
		}
		folder, name := path.Split(listed.Name)
		if next.Name != exportFolder+listed.Name || name == "" || folder != "" && folder != tablesFolder+"/" || !filepath.IsLocal(listed.Name) {
			return no("it holds %q where its manifest lists %q", next.Name, listed.Name)
		}
		if err := unpackFile(archive, dir, listed.Name); err != nil {
			return no("unpacking %s: %w", listed.Name, err)
		}
		found, err := describe(dir, listed.Name)
		if err != nil {
			return m, err
		}
		if found != listed {
			return m, fmt.Errorf("%w: %s is not the file that was exported: it has the SHA-256 %s, and the manifest says %s", ErrDifference, listed.Name, found.SHA256, listed.SHA256)
		}
	}
	if !slices.ContainsFunc(m.Files, func(f ManifestFile) bool { return f.Name == RecordName }) {
		return no("there is no record in it")
	}
	return m, nil
}

func unpackFile(from io.Reader, dir, name string) error {
	f, err := os.Create(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.LimitReader(from, exportedBytes))
	return errors.Join(err, f.Close())
}
