package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/validation"
)

// Checks are the functions and options that Verify gets from its caller. Package archive itself knows only records and tables.
type Checks struct {
	Program  string // the program that verifies, and its revision
	Revision string
	Rescore  dataset.Rescore                                  // parses a verdict from its raw reply
	Record   func(*store.Store, *dataset.Run, Manifest) error // checks what follows from answers and replies
	Signers  string                                           // file of public keys, one of which must have signed it; "": any or none
	Doing    func(what string)                                // reports the current step
	Chapters []report.Chapter                                 // further parts of the report
	// Earlier reports whether an earlier version of the program made the record, whatever revision the record names. It is called after
	// Record; it may be nil.
	Earlier func() bool
}

// A Verified is what verifying an export found.
type Verified struct {
	Manifest
	SHA256 string // hash of the whole file
	Made   store.Provenance
	Sealed bool   // the record has checksums, which were checked
	Signer string // who signed the export, as SignedBy says; "": it is not signed
	Tables []string
	Other  []string // those of Tables that were not compared: texts that another version worded differently
	Lacks  []Lack   // tables and columns that were recomputed, and that an export of another version lacks
	// Otherwise has the columns that were not compared, because another version computed them by another rule and got another result.
	Otherwise []Lack

	Validation  *Validation // nil: the export has no validation
	Unvalidated bool        // the record is of a validation, but the export lacks its tables
}

// A Validation counts the recorded input from which the tables of a validation were recomputed. This input cannot be recomputed itself.
type Validation struct {
	Values     int      // values of judges and people, as they were read
	Failed     int      // scores without a value
	Inclusions int      // items with a probability of inclusion
	Looks      int      // earlier looks: analyses before all data were there
	Unknown    []string // keys that this version does not know
}

// A Lack names a recomputed table that an export does not have, or columns of a table that it does not have or that were not compared.
type Lack struct {
	Table   string
	Columns []string // nil: the whole table
}

// Verify recomputes everything in an export and compares it. The error is an ErrDifference with the first difference, a NoExportError, or
// an error of reading the file. Verify checks the record before the tables, so that the error names a verdict and not a mean that contains
// it.
func Verify(ctx context.Context, file string, c Checks) (Verified, error) {
	return inFolder(ctx, "compqa-verify-", func(dir string) (Verified, error) { return verifyIn(ctx, file, dir, c) })
}

// verifyIn does the work of Verify in the folder dir: it checks the signature, unpacks the export, and recomputes everything. A difference
// in the recomputed results takes precedence over a file that differs from the manifest, since it is more precise.
func verifyIn(ctx context.Context, file, dir string, c Checks) (v Verified, err error) {
	c.Doing("unpacking")
	_, v.SHA256, err = HashFile(file)
	if err != nil && !data.IsFolder(file) {
		return v, err
	}
	v.Signer, err = SignedBy(file, c.Signers)
	if err != nil {
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

// withoutFolder returns an error's text without the path of the temporary folder.
func withoutFolder(err error, dir string) string {
	return strings.NewReplacer(dir+string(filepath.Separator), "", dir, "it").Replace(err.Error())
}

// verify checks an unpacked export in this order: the database, the provenance, the verdicts, everything that follows from replies
// (c.Record), the validation, and the tables.
func (v *Verified) verify(ctx context.Context, dir string, c Checks) error {
	if err := isDatabase(filepath.Join(dir, store.RecordName)); err != nil {
		return err
	}
	if err := unchanged(store.ConvertExport(ctx, dir)); err != nil {
		return err
	}
	s, err := store.OpenCopy(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := v.checkRecord(ctx, s); err != nil {
		return err
	}
	c.Doing("reading the record")
	run, reread, err := dataset.LoadRescored(c.Rescore, []string{dataset.ModelKind}, dir) // c.Record parses models' verdicts
	if err != nil {
		return err
	}
	if len(run.Made) == 0 {
		return Differ("the record does not say how the run was made: its table run is empty")
	}
	v.Made = run.Made[0]
	if err := v.checkProvenance(dir, run); err != nil {
		return err
	}
	if len(reread.Changes) > 0 {
		return Differ("%s", reread.Changes[0])
	}
	c.Doing("measuring and scoring the answers again")
	if err := errors.Join(c.Record(s, run, v.Manifest), ctx.Err()); err != nil { // checks answers and verdicts against their replies
		if _, reread, failed := dataset.LoadRescored(c.Rescore, nil, dir); failed == nil && len(reread.Changes) > 0 {
			return Differ("%s", reread.Changes[0]) // names the verdict, which is more precise
		}
		return err
	}
	c.Doing("recomputing the tables")
	same := v.Format == exportFormat && v.Program == c.Program && v.Revision == c.Revision && (c.Earlier == nil || !c.Earlier())
	if err := v.checkValidation(s, dir, same); err != nil {
		return err
	}
	if err := s.Close(); err != nil { // frees its page caches, before the most memory is needed
		return err
	}
	err = v.checkTables(ctx, dir, run, same, c.Chapters)
	if v.Unvalidated && errors.Is(err, ErrDifference) {
		err = fmt.Errorf("%w. The export lacks %s, from which the decisions of a validation follow: it was removed from this file", err,
			validation.InputName)
	}
	return err
}

// checkTables recomputes the tables and compares them with the export's. same reports whether this version of the program made the export;
// another version may have other tables and columns, and other words in its texts.
func (v *Verified) checkTables(ctx context.Context, dir string, run *dataset.Run, same bool, chapters []report.Chapter) error {
	recomputed := filepath.Join(dir, "recomputed")
	t, err := writeTables(ctx, run, recomputed, chapters)
	if err != nil {
		return err
	}
	var may rules
	if !same {
		may = otherRules(t)
	}
	return v.compareTables(dir, tablesFolder, recomputed, may)
}

// compareTables compares the files in one folder of an export with the recomputed ones. If may is nil, this version of the program made the
// export, and both must have the same files and contents. Else v lists the tables, columns and texts that could not be compared.
func (v *Verified) compareTables(dir, folder, recomputed string, may rules) error {
	same := may == nil
	called := func(name string) string { return name }
	if folder != tablesFolder { // a validation may have a table of the same name as a run
		called = func(name string) string { return path.Join(folder, name) }
	}
	var names []string
	for _, f := range v.Files {
		if in, name := path.Split(f.Name); in == folder+"/" {
			names = append(names, name)
			v.Tables = append(v.Tables, called(name))
		}
	}
	for _, name := range names {
		there := filepath.Join(dir, folder, name)
		here := filepath.Join(recomputed, name)
		if filepath.Ext(name) != ".csv" {
			if !same && !knownText(called(name)) {
				return Differ("%s is in the export, but no version of compqa writes a file of this name", called(name))
			}
			err := compareTexts(called(name), there, here)
			if !same && errors.Is(err, ErrDifference) {
				v.Other = append(v.Other, called(name))
				continue
			}
			if err != nil {
				return err
			}
			continue
		}
		not, err := compareTable(called(name), there, here, may)
		if err != nil {
			return err
		}
		if len(not.lacking) > 0 {
			v.Lacks = append(v.Lacks, Lack{called(name), not.lacking})
		}
		if len(not.otherwise) > 0 {
			v.Otherwise = append(v.Otherwise, Lack{called(name), not.otherwise})
		}
	}
	computed, err := os.ReadDir(recomputed)
	if err != nil {
		return err
	}
	for _, e := range computed {
		switch {
		case slices.Contains(names, e.Name()):
		case same:
			return Differ("%s was recomputed, but is not in the export", called(e.Name()))
		default:
			v.Lacks = append(v.Lacks, Lack{Table: called(e.Name())})
		}
	}
	return nil
}

// knownText reports whether this or an earlier version of the program writes a text file of this name next to the tables.
func knownText(name string) bool {
	return slices.Contains([]string{report.ReportText, report.ReportPage, report.ColumnsText}, name)
}

// checkRecord looks for damage in the database that queries might not find, and checks the checksums of the record.
func (v *Verified) checkRecord(ctx context.Context, s *store.Store) error {
	found, err := s.QuickCheck()
	if err != nil {
		return store.WrapDBError("reading", store.RecordName, err)
	}
	if found != "ok" {
		return fmt.Errorf("%s is damaged: %s", store.RecordName, strings.ReplaceAll(strings.TrimPrefix(found, "*** in database main ***\n"),
			"\n", "; "))
	}
	v.Sealed, err = s.CheckSums(ctx)
	return unchanged(err)
}

// unchanged turns a store.ChangedError into an ErrDifference, and returns any other error as it is.
func unchanged(err error) error {
	if e, changed := errors.AsType[store.ChangedError](err); changed {
		e.Path = store.RecordName
		return Differ("%w", e)
	}
	return err
}

// isDatabase checks the first bytes of a file. The database's own errors give advice that does not apply to exports.
func isDatabase(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return fmt.Errorf("%s is not a database", store.RecordName)
	}
	return nil
}

// checkProvenance compares the configuration file of the export and the hash of the rubric with what the record has.
func (v *Verified) checkProvenance(dir string, run *dataset.Run) error {
	made := v.Made
	config, err := os.ReadFile(filepath.Join(dir, configName))
	if err != nil {
		return err
	}
	if string(config) != made.Config {
		here, there := Excerpts(string(config), made.Config)
		return Differ("the configuration differs from the record: it has %q, the record %q", here, there)
	}
	if !json.Valid(config) {
		return Differ("the configuration is not valid JSON")
	}
	if recomputed := run.Rubric.Hash(); recomputed != made.RubricHash {
		return Differ("the record's rubric has the hash %s, but the record has %s", recomputed, made.RubricHash)
	}
	return nil
}

// Excerpts returns the parts of two texts around their first difference, for a message.
func Excerpts(a, b string) (string, string) {
	index := 0
	for index < min(len(a), len(b)) && a[index] == b[index] {
		index++
	}
	const around = 20
	return a[max(0, index-around):min(len(a), index+around)], b[max(0, index-around):min(len(b), index+around)]
}
