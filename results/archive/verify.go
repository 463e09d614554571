package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"compqa/results/dataset"
	"compqa/results/store"
)

// Checks are the functions that Verify needs to recompute verdicts and measurements; it
// knows only records and tables.
type Checks struct {
	Program  string // that verifies, and its revision
	Revision string
	Rescore  dataset.Rescore                                  // parses a verdict from its raw reply
	Record   func(*store.Store, *dataset.Run, Manifest) error // checks everything that depends on answers and replies; ErrDifference by Differ
	Signers  []ssh.PublicKey                                  // one of them has signed the export; nil: any key, or none
	Doing    func(what string)                                // reports the current step
}

// A Verified is an export without differences.
type Verified struct {
	Manifest
	SHA256 string // of the whole file
	Made   store.Provenance
	Read   int    // verdicts whose replies were parsed again
	Sealed bool   // the record has checksums
	Signer string // the key of a valid signature; "": it is not signed
	Tables []string
	Other  []string // of these, texts that another version of the program wrote in its own words: not compared
}

// Verify recomputes everything in an export and compares it. The error is ErrDifference
// with the first difference, a NoExportError, or an error of reading the file. The record
// is checked before the tables, so that the error names a verdict, not a mean that
// contains it.
func Verify(ctx context.Context, file string, c Checks) (v Verified, err error) {
	dir, err := os.MkdirTemp("", "compqa-verify-*")
	if err != nil {
		return v, err
	}
	defer os.RemoveAll(dir)
	c.Doing("unpacking")
	if _, v.SHA256, err = HashFile(file); err != nil && !isFolder(file) {
		return v, err
	}
	if v.Signer, err = signer(file, c.Signers); err != nil {
		return v, err
	}
	u, err := unpack(ctx, file, dir)
	if err != nil {
		return v, err
	}
	v.Manifest = u.Manifest
	err = v.verify(ctx, dir, c)
	if err == nil || ctx.Err() != nil {
		return v, errors.Join(u.fault, err, ctx.Err())
	}
	if errors.Is(err, ErrDifference) {
		return v, err
	}
	if u.fault != nil {
		return v, fmt.Errorf("%w; it is no longer readable: %s", u.fault, withoutFolder(err, dir))
	}
	return v, noExport("its record cannot be read: %s", withoutFolder(err, dir))
}

// signer is the fingerprint of the key that signed an export; "": none. It is a difference if none of
// the wanted keys did.
func signer(file string, wanted []ssh.PublicKey) (string, error) {
	key, err := SignedBy(file)
	if err != nil {
		return "", err
	}
	if key == nil && wanted != nil {
		return "", Differ("it is not signed: there is no %s", filepath.Base(file)+SignatureSuffix)
	}
	if key == nil {
		return "", nil
	}
	by := ssh.FingerprintSHA256(key)
	if wanted == nil {
		return by + ", a key that was not compared with any (--signer KEY)", nil
	}
	if !slices.ContainsFunc(wanted, func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), key.Marshal()) }) {
		return "", Differ("it is signed by another key, %s", by)
	}
	return by, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// withoutFolder is an error's text without the path of the temporary folder.
func withoutFolder(err error, dir string) string {
	return strings.NewReplacer(dir+string(filepath.Separator), "", dir, "it").Replace(err.Error())
}

func (v *Verified) verify(ctx context.Context, dir string, c Checks) error {
	if err := v.checkRecord(ctx, dir); err != nil {
		return err
	}
	c.Doing("parsing the verdicts again")
	run, reread, err := dataset.LoadRescored(c.Rescore, dir)
	if err != nil {
		return err
	}
	if len(run.Made) == 0 {
		return Differ("the record does not say how the run was made: its table run is empty")
	}
	v.Made, v.Read = run.Made[0], reread.Read
	if recomputed := run.Rubric.Hash(); recomputed != v.Made.RubricHash {
		return Differ("the record's rubric has the hash %s, but the record has %s", recomputed, v.Made.RubricHash)
	}
	if len(reread.Changes) > 0 {
		return Differ("%s", reread.Changes[0])
	}
	if err := v.checkReplies(ctx, dir, run, c); err != nil {
		return err
	}
	c.Doing("recomputing the tables")
	return v.checkTables(ctx, dir, run, v.Program == c.Program && v.Revision == c.Revision)
}

// checkReplies compares answers and verdicts with their replies.
func (v *Verified) checkReplies(ctx context.Context, dir string, run *dataset.Run, c Checks) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	c.Doing("measuring and scoring the answers again")
	return errors.Join(c.Record(s, run, v.Manifest), ctx.Err())
}

// checkTables recomputes the tables. same: the program that exported them computes them again.
// Another one may have more tables and columns, and other words in its texts.
func (v *Verified) checkTables(ctx context.Context, dir string, run *dataset.Run, same bool) error {
	recomputed := filepath.Join(dir, "recomputed")
	if err := writeTables(ctx, run, dir, recomputed); err != nil {
		return err
	}
	for _, f := range v.Files {
		if folder, name := path.Split(f.Name); folder != "" {
			v.Tables = append(v.Tables, name)
		}
	}
	for _, name := range v.Tables {
		exported := filepath.Join(dir, tablesFolder, name)
		if _, err := os.Stat(exported); errors.Is(err, fs.ErrNotExist) {
			return Differ("the manifest lists %s, but the export does not contain it", name)
		}
		if !same && filepath.Ext(name) != ".csv" {
			v.Other = append(v.Other, name)
			continue
		}
		if err := compareTable(exported, filepath.Join(recomputed, name), same); err != nil {
			return err
		}
	}
	if !same {
		return nil
	}
	computed, err := os.ReadDir(recomputed)
	if err != nil {
		return err
	}
	for _, e := range computed {
		if !slices.Contains(v.Tables, e.Name()) {
			return Differ("%s was recomputed, but is not in the export", e.Name())
		}
	}
	return nil
}

// checkRecord looks for damage that queries might not find.
func (v *Verified) checkRecord(ctx context.Context, dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	var found string
	if err := s.Db.QueryRow(`PRAGMA quick_check(1)`).Scan(&found); err != nil {
		return store.WrapDBError("reading", store.RecordName, err)
	}
	if found != "ok" {
		return fmt.Errorf("%s is damaged: %s", store.RecordName, strings.ReplaceAll(strings.TrimPrefix(found, "*** in database main ***\n"),
			"\n", "; "))
	}
	v.Sealed, err = s.CheckSums(ctx)
	if e, changed := errors.AsType[store.ChangedError](err); changed {
		e.Path = store.RecordName
		return Differ("%w", e)
	}
	return err
}

// Excerpts are the parts of two texts around their first difference, for a message.
func Excerpts(a, b string) (string, string) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	const around = 20
	return a[max(0, at-around):min(len(a), at+around)], b[max(0, at-around):min(len(b), at+around)]
}
