package archive

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
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

	"compqa/results/dataset"
	"compqa/results/preferences"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

// An export is one file (tar, gzip) that allows anybody to check a run's tables:
//
//	compqa-run/manifest.json   description, and the SHA-256 of all files
//	compqa-run/run.db          the record
//	compqa-run/tables/…        the tables, as a report writes them
const (
	exportFormat = 1
	exportFolder = "compqa-run/"
	manifestName = "manifest.json"
	tablesFolder = "tables"
)

// A Manifest describes the contents of an export.
type Manifest struct {
	Format   int            `json:"format"`
	Program  string         `json:"program"` // that exported
	Revision string         `json:"revision"`
	Replies  bool           `json:"replies"` // the models' replies are in it
	Bodies   bool           `json:"bodies"`  // complete requests and responses are in it
	Files    []ManifestFile `json:"files"`
}

// A ManifestFile is one file of an export.
type ManifestFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ExportOptions select the contents of an export.
type ExportOptions struct {
	WithoutReplies    bool              // without raw replies; verdicts cannot be parsed again
	WithBodies        bool              // complete requests and responses
	Program, Revision string            // of the exporting program
	Doing             func(what string) // reports the current step
}

// Export writes the record in dir, with the tables computed from it, to out. The same
// record and program give the same bytes.
func Export(ctx context.Context, dir string, out io.Writer, o ExportOptions) (Manifest, error) {
	m, err := exportRecord(ctx, dir, out, o)
	if err != nil {
		return m, cmp.Or(ctx.Err(), fmt.Errorf("exporting %s: %w", dir, err))
	}
	return m, nil
}

func exportRecord(ctx context.Context, dir string, out io.Writer, o ExportOptions) (m Manifest, err error) {
	work, err := os.MkdirTemp("", "compqa-export-*")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(work)
	o.Doing("copying the record")
	if err := copyRecord(ctx, dir, work, o); err != nil {
		return m, err
	}
	o.Doing("computing the tables")
	run, err := dataset.Load(work)
	if err == nil {
		err = writeTables(ctx, run, work, filepath.Join(work, tablesFolder))
	}
	if err != nil {
		return m, err
	}
	m = Manifest{Format: exportFormat, Program: o.Program, Revision: o.Revision, Replies: !o.WithoutReplies, Bodies: o.WithBodies}
	o.Doing("packing")
	if m.Files, err = listFiles(work); err != nil {
		return m, err
	}
	return m, pack(interruptedBy(ctx, out), work, m)
}

// ExportFile is Export to a file, which appears under its name when it is complete.
func ExportFile(ctx context.Context, dir, file string, o ExportOptions) (m Manifest, err error) {
	err = table.WriteFile(file, func(w io.Writer) error {
		m, err = Export(ctx, dir, w, o)
		return err
	})
	return m, err
}

// writeTables writes all tables of the record in dir, which contains run, to a folder:
// those of a report and, if there are preferences, the pairwise tables.
func writeTables(ctx context.Context, run *dataset.Run, dir, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := report.Compute(run)
	if err == nil {
		err = t.Write(to, to, preferences.Chapter)
	}
	if err == nil && ctx.Err() == nil {
		err = preferences.WriteTables(dir, to, t)
	}
	return errors.Join(err, ctx.Err())
}

// copyRecord copies a snapshot of the record in dir to a folder, without the excluded
// contents. A run may write the record at the same time.
func copyRecord(ctx context.Context, dir, to string, o ExportOptions) error {
	s, err := store.Open(dir) // checks that there is a record, of this format
	if err != nil {
		return err
	}
	defer s.Close()
	sealed, err := s.CheckSums(ctx)
	if err != nil {
		return err
	}
	// The last report and the origins of reused replies contain local paths.
	cuts := []string{`DELETE FROM sums WHERE name = 'last report'`, `UPDATE calls SET origin = 'another run' WHERE origin <> ''`}
	if !o.WithBodies {
		cuts = append(cuts, `UPDATE calls SET request = '', raw = ''`, `DELETE FROM prompts`)
	}
	if o.WithoutReplies {
		cuts = append(cuts, `UPDATE calls SET reply = '', reasoning = '', raw = ''`, `UPDATE verdicts SET raw = ''`,
			`UPDATE answers SET reasoning = ''`, `UPDATE samples SET text = ''`)
	}
	return s.Copy(ctx, filepath.Join(to, store.RecordName), sealed, cuts)
}

// listFiles are the files of an export's folder, the tables last.
func listFiles(dir string) ([]ManifestFile, error) {
	names := []string{store.RecordName}
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

// describe is the manifest entry of a file.
func describe(dir, name string) (ManifestFile, error) {
	size, sum, err := HashFile(filepath.Join(dir, filepath.FromSlash(name)))
	return ManifestFile{name, size, sum}, err
}

// HashFile is a file's size in bytes and its SHA-256, hexadecimal.
func HashFile(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// pack writes an export, without times and owners.
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

// An interruptible writer fails after its context ends.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func interruptedBy(ctx context.Context, w io.Writer) io.Writer { return interruptible{ctx, w} }

func (i interruptible) Write(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(p)
}
