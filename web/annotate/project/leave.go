package project

import (
	"context"
	"database/sql"
	"fmt"

	"compqa/results/store"
)

// Exclude removes a person's sheets from agreement, points, exports and the queue, and ends the person's sessions. Everything stays on
// record. Sheets finished before from, a time as utc writes it, still count; if from is "", none does.
func (p *Project) Exclude(name, why, from string) error {
	if why == "" {
		return fmt.Errorf("say why %s is excluded", name)
	}
	return p.write(func(tx *sql.Tx) error {
		id, err := idOf(tx, name)
		if err == nil {
			_, err = tx.Exec(`UPDATE annotators SET excluded = ?, excluded_at = ?, excluded_from = ? WHERE id = ?`, why, utc(p.Now()), from, id)
		}
		if err == nil {
			_, err = tx.Exec(`UPDATE assignments SET excluded = coalesce((SELECT at FROM events WHERE item = blind AND revision = ended), '') >= ?
				WHERE annotator = ?`, from, id)
		}
		if err == nil {
			_, err = tx.Exec(`DELETE FROM sessions WHERE annotator = ?`, id)
		}
		return err
	})
}

// Include undoes an exclusion: all sheets count again, and the link works unless it was revoked.
func (p *Project) Include(name string) error {
	return p.write(func(tx *sql.Tx) error {
		id, err := idOf(tx, name)
		if err == nil {
			_, err = tx.Exec(`UPDATE annotators SET excluded = '', excluded_at = '', excluded_from = '' WHERE id = ?`, id)
		}
		if err == nil {
			_, err = tx.Exec(`UPDATE assignments SET excluded = 0 WHERE annotator = ?`, id)
		}
		return err
	})
}

// Rename gives a person another alias, the name that everybody but the owner sees.
func (p *Project) Rename(name, alias string) error {
	if err := checkName(alias); err != nil {
		return err
	}
	other, err := store.Value[string](p.s,
		`SELECT coalesce(min(name), '') FROM annotators WHERE name <> ?1 AND ?2 IN (name, alias)`, name, alias)
	if err != nil {
		return err
	}
	if other != "" {
		return fmt.Errorf("%q belongs to %s; choose another", alias, other)
	}
	used, err := p.hasResults(alias)
	if err != nil {
		return err
	}
	if used {
		return fmt.Errorf("the run already has results of human:%s from another source, and they would be mixed up; choose another", alias)
	}
	returns, err := firstRow[bool](p, `SELECT EXISTS (SELECT 1 FROM annotators WHERE name = ? AND returns)`, name)
	if returns {
		err = fmt.Errorf("%s labelled before this study, and has the name of then in the run", name)
	}
	if err != nil {
		return err
	}
	return p.write(func(tx *sql.Tx) error {
		id, err := idOf(tx, name)
		if err == nil {
			_, err = tx.Exec(`UPDATE annotators SET alias = ? WHERE id = ?`, alias, id)
		}
		return err
	})
}

// A Tombstone counts what was deleted of a person, without naming the person.
type Tombstone struct {
	Annotator int64
	At        string
	Sheets    int // number of submitted sheets
	Events    int
	Remarks   int // number of texts with sheets, skips and flags
}

// Forget deletes a person and all of the person's work, and records and returns a Tombstone.
func (p *Project) Forget(name string) (stone Tombstone, err error) {
	err = p.write(func(tx *sql.Tx) error {
		id, err := idOf(tx, name)
		if err != nil {
			return err
		}
		stone = Tombstone{Annotator: id, At: utc(p.Now())}
		err = tx.QueryRow(`SELECT (SELECT count(*) FROM assignments WHERE annotator = ?1 AND state = 'submit'),
			count(*), count(CASE WHEN coalesce(body ->> 'reason', '') <> '' THEN 1 END) FROM events WHERE annotator = ?1`, id).
			Scan(&stone.Sheets, &stone.Events, &stone.Remarks)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO forgotten VALUES (?, ?, ?, ?, ?)`, id, stone.At, stone.Sheets, stone.Events, stone.Remarks)
		for _, from := range []string{"events", "assignments", "sessions", "replies", "earlier"} {
			if err == nil {
				_, err = tx.Exec(`DELETE FROM `+from+` WHERE annotator = ?`, id)
			}
		}
		if err == nil {
			_, err = tx.Exec(`DELETE FROM annotators WHERE id = ?`, id)
		}
		return err
	})
	if err != nil {
		return stone, err
	}
	// Deleted rows would otherwise stay in free pages and in the log.
	if err := p.s.Run(`VACUUM`); err != nil {
		return stone, err
	}
	return stone, p.s.Run(`PRAGMA wal_checkpoint(TRUNCATE)`)
}

// Forgotten returns the tombstones of all deleted people.
func (p *Project) Forgotten() ([]Tombstone, error) {
	return store.Select[Tombstone](p.s, `SELECT `+store.Columns[Tombstone]()+` FROM forgotten ORDER BY annotator`)
}

// Backup writes a complete copy of annotation.db to a new file, even while the project is served.
func (p *Project) Backup(ctx context.Context, path string) error {
	return p.s.Copy(ctx, path, nil)
}

// idOf returns the id of a person by name, or an error that wraps ErrUnknown.
func idOf(tx *sql.Tx, name string) (id int64, err error) {
	err = tx.QueryRow(`SELECT coalesce(min(id), 0) FROM annotators WHERE id > 0 AND name = ?`, name).Scan(&id)
	if err == nil && id == 0 {
		err = fmt.Errorf("annotator %q: %w", name, ErrUnknown)
	}
	return id, err
}
