package store

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
)

//go:embed earlier.sql
var earlierTables string

// earlierFormat is the record format of older exports that this version can still verify. It had one table for each kind of results.
const earlierFormat = 16

// earlierResults is SQL that moves the results from the tables of earlierFormat to the table results.
const earlierResults = `
INSERT INTO results (party, kind, subject, repeat, status, total, content, reason, raw, calls, origin)
	SELECT judge, 'verdict', answer, repeat, status, total, scores, reason, raw, calls, origin FROM earlier_verdicts ORDER BY rowid;
INSERT INTO results (party, kind, subject, variant, status, content, reason, raw, calls)
	SELECT judge, 'label', answer, kind, status, labels, reason, raw, calls FROM earlier_labels ORDER BY rowid;
INSERT INTO results (party, kind, subject, variant, "order", fingerprint, status, choice, content, reason, raw, calls)
	SELECT judge, 'preference', id, method, "order", fingerprint, status, choice, detail, reason, rationale, calls
	FROM earlier_preferences ORDER BY rowid;
INSERT INTO results (party, kind, subject, variant, "order", repeat, fingerprint, status, choice, reason, raw, calls)
	SELECT judge, 'sample', id, source, "order", sample, fingerprint, status, choice, reason, text, calls FROM earlier_samples ORDER BY rowid;
INSERT INTO results (party, kind, subject, variant, "order", judge, fingerprint, status, content, reason, calls)
	SELECT grader, 'grade', id, method, "order", judge, fingerprint, status,
		json_object('right', right, 'correctness', correctness, 'consistency', consistency), reason, calls FROM earlier_grades ORDER BY rowid;`

// ConvertExport converts an unpacked export from earlierFormat to the present format. It leaves a record of any other format unchanged. It
// checks the checksums first and writes new ones. It is only for exports: nothing else reads an earlier record.
func ConvertExport(ctx context.Context, dir string) error {
	s, err := Connect(filepath.Join(dir, RecordName), nil)
	if err != nil {
		return err
	}
	var other FormatError
	if _, err := s.version(); errors.As(err, &other) && other.Version == earlierFormat {
		err = s.convert(ctx)
		return errors.Join(WrapDBError("converting", s.Path, err), s.db.Close())
	}
	return s.db.Close()
}

// convert checks the schema and the checksums of the earlier format. In one transaction, it then renames the old tables, creates the new
// one, copies the results and drops the old tables. Last it writes new checksums if there were any.
func (s *Store) convert(ctx context.Context) error {
	earlier := commonTables + earlierTables
	if err := s.CheckSchema(earlier); err != nil {
		return err
	}
	tables, err := defined(earlier)
	if err != nil {
		return err
	}
	sealed, err := s.checkSumsOf(ctx, tables)
	if err != nil {
		return err
	}
	s.writer, err = newWriter(s)
	if err != nil {
		return err
	}
	err = s.writer.transact(func(tx *writer) error {
		results, err := defined(earlierTables)
		var drop string
		for _, d := range results {
			if d.Kind == "table" {
				tx.do(fmt.Sprintf(`ALTER TABLE "%s" RENAME TO "earlier_%[1]s"`, d.Name))
				drop += fmt.Sprintf(`; DROP TABLE "earlier_%s"`, d.Name)
			}
		}
		tx.do(resultsTable + earlierResults + drop + fmt.Sprintf("; DELETE FROM sums WHERE name <> '%s'; PRAGMA user_version = %d", lastReport,
			formatVersion))
		return err
	})
	if err == nil && sealed {
		err = s.seal()
	}
	return errors.Join(err, s.writer.close())
}
