// Package archive exports a run as one file, and verifies such a file: it recomputes
// every table from the replies, the plan and the configuration in it.
package archive

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/gzip" // half the time of the standard library, files 8 % larger

	"compqa/results/dataset"
	"compqa/results/preferences"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/validation"
)

// An export is one file (a tar, compressed by gzip) that allows anybody to check a run's tables:
//
//	compqa-run/manifest.json   description, and the SHA-256 of all files
//	compqa-run/config.json     the configuration of the run
//	compqa-run/run.db          the record
//	compqa-run/tables/…        the tables, as a report writes them
//
// An export of a validation also has
//
//	compqa-run/validation.json what the tables of compqa validate are computed from
//	compqa-run/validation/…    these tables
//
// Exports of formats 1 and 2, which have no validations, can still be read.
const (
	exportFormat     = 3
	exportFolder     = "compqa-run/"
	manifestName     = "manifest.json"
	configName       = "config.json"
	tablesFolder     = "tables"
	validationFolder = "validation"
)

// A Manifest describes an export: which program made it, which parts it includes, and the hash of each file.
type Manifest struct {
	Format   int            `json:"format"`
	Program  string         `json:"program"` // the program that exported
	Revision string         `json:"revision"`
	Replies  bool           `json:"replies"` // the models' replies are in it
	Bodies   bool           `json:"bodies"`  // complete requests and responses are in it
	Files    []ManifestFile `json:"files"`
}

// A ManifestFile is a file of an export with its size in bytes and its SHA-256.
type ManifestFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ExportOptions choose what an export includes.
type ExportOptions struct {
	WithoutReplies    bool              // without raw replies; verdicts cannot be parsed again
	WithBodies        bool              // complete requests and responses
	Program, Revision string            // the exporting program and its revision
	Doing             func(what string) // reports the current step
	Note              func(text string) // receives a sentence on what the export lacks; may be nil
	Chapters          []report.Chapter  // further parts of the report
}

// Export writes the record in dir and the tables computed from it to out. The same record and program give the same bytes.
func Export(ctx context.Context, dir string, out io.Writer, o ExportOptions) (Manifest, error) {
	m, err := inFolder(ctx, "compqa-export-", func(work string) (Manifest, error) { return exportIn(ctx, dir, work, out, o) })
	if err != nil {
		err = fmt.Errorf("exporting %s: %w", dir, err)
	}
	return m, err
}

// inFolder calls do with a temporary folder, and then removes the folder. When ctx ends, it waits for do for at most a second, because
// computing tables does not react to ctx.
func inFolder[Result any](ctx context.Context, prefix string, do func(dir string) (Result, error)) (outcome Result, err error) {
	temporary, err := store.NewTemporary(os.TempDir(), prefix)
	if err != nil {
		return outcome, err
	}
	defer temporary.Close()
	var result Result
	var fault error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, fault = do(temporary.Dir)
	}()
	select {
	case <-done:
		return result, fault
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	return outcome, ctx.Err()
}

// exportIn does the work of Export in the folder work: it copies the record, adds the validation, computes the tables, and packs all files.
func exportIn(ctx context.Context, dir, work string, out io.Writer, o ExportOptions) (m Manifest, err error) {
	o.Doing("copying the record")
	if err := copyRecord(ctx, dir, work, o); err != nil {
		return m, err
	}
	if err := packValidation(dir, work, o); err != nil { // first, because the tables of the record depend on the validation
		return m, err
	}
	o.Doing("computing the tables")
	run, err := dataset.Load(work)
	if err == nil {
		_, err = writeTables(ctx, run, filepath.Join(work, tablesFolder), o.Chapters)
	}
	if err != nil {
		return m, err
	}
	made := run.Made[0]
	if err := os.WriteFile(filepath.Join(work, configName), []byte(made.Config), 0o644); err != nil {
		return m, err
	}
	m = Manifest{Format: exportFormat, Program: o.Program, Revision: o.Revision, Replies: !o.WithoutReplies, Bodies: o.WithBodies}
	o.Doing("packing")
	if err := m.listFiles(work); err != nil {
		return m, err
	}
	return m, packWithin(interruptedBy(ctx, out), work, m)
}

// packWithin packs the files of an export. If the packed file is so small that unpack would refuse it as malicious (mostUnpacked), it packs
// again without compressing repetitions.
func packWithin(w io.Writer, dir string, m Manifest) error {
	total := int64(0)
	for _, f := range m.Files {
		total += f.Size
	}
	if total <= mostUnpacked(0) {
		return pack(w, dir, m, gzip.DefaultCompression)
	}
	name := filepath.Join(dir, "packed")
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = errors.Join(pack(f, dir, m, gzip.DefaultCompression), f.Close())
	info, missing := os.Stat(name)
	if err = errors.Join(err, missing); err != nil {
		return err
	}
	if total > mostUnpacked(info.Size()) {
		return pack(w, dir, m, gzip.HuffmanOnly)
	}
	_, err = copyFile(w, name)
	return err
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// interruptedBy returns a writer that fails once ctx has ended.
func interruptedBy(ctx context.Context, w io.Writer) io.Writer {
	return writer(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return w.Write(p)
	})
}

// ExportFile exports to a file. The file appears under its name only when it is complete.
func ExportFile(ctx context.Context, dir, file string, o ExportOptions) (m Manifest, err error) {
	err = store.WriteOutput(file, func(w io.Writer) error {
		m, err = Export(ctx, dir, w, o)
		return err
	})
	return m, err
}

// IsExport reports whether a file begins as an export does: with a manifest.
func IsExport(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return false
	}
	head, err := tar.NewReader(zip).Next()
	return err == nil && head.Name == exportFolder+manifestName
}

// writeTables computes all tables of a record and writes them to a folder: the tables of a report and, if there are preferences, the
// pairwise tables.
func writeTables(ctx context.Context, run *dataset.Run, to string, more []report.Chapter) (*report.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := report.Compute(dataset.New(run))
	if err == nil {
		err = t.Write(to, to, append([]report.Chapter{preferences.Chapter}, more...)...)
	}
	return t, errors.Join(err, ctx.Err())
}

// copyRecord copies a snapshot of the record in dir to a folder, without the contents that the options exclude. A run may write to the
// record meanwhile.
func copyRecord(ctx context.Context, dir, to string, o ExportOptions) error {
	s, err := store.Open(dir) // fails without a record of this format
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.CheckSums(ctx); err != nil {
		return err
	}
	return s.Copy(ctx, filepath.Join(to, store.RecordName), func(copied *store.Store) ([]string, error) {
		cuts, err := copied.WithoutPaths()
		if !o.WithBodies {
			cuts = append(cuts, store.WithoutBodies()...)
		}
		if o.WithoutReplies {
			cuts = append(cuts, store.WithoutReplies()...)
		}
		return cuts, err
	})
}

// listFiles adds the files in an export's folder to the manifest, tables last.
func (m *Manifest) listFiles(dir string) error {
	names := []string{configName, store.RecordName}
	if hasInput(dir) {
		names = append(names, validation.InputName)
	}
	for _, folder := range []string{tablesFolder, validationFolder} {
		tables, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && (folder == tablesFolder || !errors.Is(err, os.ErrNotExist)) {
			return err
		}
		for _, e := range tables {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	for _, name := range names {
		f, err := describe(dir, name)
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	return nil
}

// describe returns the manifest entry of a file.
func describe(dir, name string) (ManifestFile, error) {
	size, sum, err := HashFile(filepath.Join(dir, filepath.FromSlash(name)))
	return ManifestFile{name, size, sum}, err
}

// HashFile returns a file's size in bytes and its SHA-256, hexadecimal.
func HashFile(path string) (size int64, sum string, err error) {
	h := sha256.New()
	size, err = copyFile(h, path)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

func copyFile(to io.Writer, path string) (size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(to, f)
}

// pack writes an export as a compressed tar. It leaves out times and owners, so that equal files give equal bytes.
func pack(w io.Writer, dir string, m Manifest, level int) error {
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, manifestName), manifest, 0o644)
	}
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(w, level)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zip)
	for _, file := range append([]ManifestFile{{Name: manifestName, Size: int64(len(manifest))}}, m.Files...) {
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: exportFolder + file.Name, Size: file.Size, Mode: 0o644,
			Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := copyFile(archive, filepath.Join(dir, filepath.FromSlash(file.Name))); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zip.Close())
}
