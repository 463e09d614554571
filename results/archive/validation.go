package archive

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
)

// hasInput reports whether a folder has the input of a validation (validation.InputName), from which its tables are computed.
func hasInput(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, validation.InputName))
	return err == nil
}

// packValidation adds the input of the validation in dir, and the tables computed from it, to the folder work, which already has the
// record. If dir has no input, it only notes what the export lacks.
func packValidation(dir, work string, o ExportOptions) error {
	if !hasInput(dir) {
		return noteNoInput(dir, work, o)
	}
	o.Doing("computing the tables of the validation")
	in, err := validation.ReadInput(filepath.Join(dir, validation.InputName))
	if err != nil {
		return err
	}
	if o.WithoutReplies {
		in.WithoutReasons()
	}
	text, err := in.JSON() // before Result, which changes the input
	if err == nil {
		err = os.WriteFile(filepath.Join(work, validation.InputName), text, 0o644)
	}
	if err != nil {
		return err
	}
	result, err := in.Result()
	if err != nil {
		return err
	}
	s, err := store.OpenCopy(work)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := checkSheets(s, result); err != nil {
		return fmt.Errorf("%s is not what the record was made from (%w): run compqa validate again", validation.InputName, err)
	}
	return table.WriteFiles(filepath.Join(work, validationFolder), result.Catalogue().Files())
}

// noteNoInput notes that the export of a record of a validation lacks the tables of the validation, because dir has no input.
func noteNoInput(dir, work string, o ExportOptions) error {
	s, err := store.OpenCopy(work)
	if err != nil {
		return err
	}
	defer s.Close()
	is, err := validated(s)
	if err == nil && is && o.Note != nil {
		o.Note(fmt.Sprintf("%s has no %s (it is deleted, or has %s): the export has no tables of compqa validate, and its decisions "+
			"follow from the record, without the options of compqa validate", dir, validation.InputName, validation.TooLarge))
	}
	return err
}

// checkValidation recomputes the tables of a validation, and compares the tables and the validation's values with the export. same reports
// whether this version of the program made the export, so that nothing may differ.
func (v *Verified) checkValidation(s *store.Store, dir string, same bool) error {
	if !hasInput(dir) {
		return v.withoutValidation(s)
	}
	in, err := validation.ReadInput(filepath.Join(dir, validation.InputName))
	if err != nil {
		return Differ("%w", err)
	}
	v.Validation = &Validation{Inclusions: in.Inclusions(), Unknown: in.Unknown}
	v.Validation.Values, v.Validation.Failed = in.Values()
	if in.Options.Looks != nil {
		v.Validation.Looks = in.Options.Looks.Last
	}
	result, err := in.Result()
	if err == nil {
		err = checkSheets(s, result)
	}
	recomputed := filepath.Join(dir, "recomputed-validation")
	if err == nil {
		err = table.WriteFiles(recomputed, result.Catalogue().Files())
	}
	if err != nil && !errors.Is(err, ErrDifference) {
		err = Differ("the tables of the validation cannot be computed from %s: %w", validation.InputName, err)
	}
	if err != nil {
		return err
	}
	var may rules
	if !same {
		may = otherRules(nil)
	}
	return v.compareTables(dir, validationFolder, recomputed, may)
}

// withoutValidation handles an export without the input of a validation. Tables of a validation are then an ErrDifference. From the current
// format on, it also notes if the record has verdicts of a validation (Unvalidated).
func (v *Verified) withoutValidation(s *store.Store) error {
	for _, f := range v.Files {
		if strings.HasPrefix(f.Name, validationFolder+"/") {
			return Differ("the export has %s, but not %s, from which it is computed", f.Name, validation.InputName)
		}
	}
	if v.Format < exportFormat {
		return nil
	}
	var err error
	v.Unvalidated, err = validated(s)
	return err
}

// validated reports whether a record has verdicts of a validation.
func validated(s *store.Store) (bool, error) {
	return store.Value[bool](s, `SELECT EXISTS (SELECT 1 FROM verdicts WHERE origin = ?)`, store.OriginValidation)
}

// A sheet is the recorded verdict of a judge or a person on an item.
type sheet struct {
	Answer, Judge string
	Repeat        int
	Scores        data.Scores
	Origin        string
}

// checkSheets checks that the items and values that the validation's input gives are those in the record. It ignores what people, imports
// or runs added to the record later. It returns an ErrDifference with the first item or verdict that differs or is missing.
func checkSheets(s *store.Store, r *validation.Result) error {
	is, err := validated(s)
	if err == nil && !is {
		err = Differ("the record is not that of a validation, and has nothing to do with %s", validation.InputName)
	}
	if err != nil {
		return err
	}
	rec, _ := r.Record()
	sheets := map[[2]string]data.Scores{}
	answers := map[string]data.Answer{}
	for _, v := range rec.Verdicts {
		sheets[[2]string{v.Judge, v.Answer}] = v.Scores
	}
	for _, a := range rec.Answers {
		answers[a.ID] = a
	}
	err = store.EachOf(s, store.KindAnswer, func(a struct{ ID, System, Text, Origin string }) error {
		answer, has := answers[a.ID]
		delete(answers, a.ID)
		if a.Origin != store.OriginValidation || has && answer.System == a.System && answer.Text == a.Text {
			return nil
		}
		return Differ("item %s of the record is not that of %s", a.ID, validation.InputName)
	})
	if err != nil {
		return err
	}
	err = store.EachOfUnordered(s, store.KindVerdict, func(row sheet) error {
		key := [2]string{row.Judge, row.Answer}
		scores := sheets[key]
		delete(sheets, key)
		if row.Origin == store.OriginValidation && !maps.EqualFunc(scores, row.Scores, sameNumber) {
			return Differ("the verdict of %s on %s is recorded as %v, but %s gives %v", row.Judge, row.Answer, row.Scores,
				validation.InputName, scores)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(answers) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(answers)))
		return Differ("%s has the item %s, which the record does not have", validation.InputName, first)
	}
	if len(sheets) > 0 {
		key := slices.MinFunc(slices.Collect(maps.Keys(sheets)), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
		return Differ("%s has values of %s on %s, which the record does not have", validation.InputName, key[0], key[1])
	}
	return nil
}
