package project

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// InviteAgain does as Invite for a person who has labels in the run already, under the name judge (for instance human:p1). The sheets of
// this study will have the same judge. n is the number of study items that the person judged before and will not get.
func (p *Project) InviteAgain(name, judge string) (token string, n int, err error) {
	if err := p.CheckAgain(name, judge); err != nil {
		return "", 0, err
	}
	alias := strings.TrimPrefix(judge, data.Human+":")
	token = rand.Text()
	err = p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(newPerson, name, alias, hash(token), "", "", true)
		return err
	})
	if err == nil {
		err = p.findEarlier()
	}
	if err == nil {
		n, err = firstRow[int](p, `SELECT count(*) FROM earlier WHERE annotator = (SELECT id FROM annotators WHERE name = ?)`, name)
	}
	return token, n, err
}

// CheckAgain returns an error if the person is in the study already, the run has no results of the judge, or another person has the name.
func (p *Project) CheckAgain(name, judge string) error {
	alias := strings.TrimPrefix(judge, data.Human+":")
	for _, part := range []string{name, alias} {
		if err := checkName(part); err != nil {
			return err
		}
		other, err := store.Value[string](p.s, `SELECT coalesce(min(name), '') FROM annotators WHERE ?1 IN (name, alias)`, part)
		if err == nil && other != "" {
			err = fmt.Errorf("%s is in this study, as %q: the link works for new items, too (annotate change --more N)", other, part)
		}
		if err != nil {
			return err
		}
	}
	known, err := p.hasResults(alias)
	if err == nil && !known {
		err = fmt.Errorf("the run has no results of %s:%s, as whom %s is to label more", data.Human, alias, name)
	}
	if err == nil && name != alias {
		known, err = p.hasResults(name)
		if known {
			err = fmt.Errorf("the run has results of %s:%s, too; call the person otherwise", data.Human, name)
		}
	}
	return err
}

// judgedBy is a query for the ids of the answers, answers with a contrastive table, and pairs that a person judged in a run.
const judgedBy = `SELECT 'answer' AS kind, answer AS source FROM verdicts WHERE judge = ?1 AND status IN ('valid', 'partial')
	UNION SELECT 'table', answer FROM labels WHERE judge = ?1 AND status = 'valid'
	UNION SELECT 'pair', id FROM preferences WHERE judge = ?1 AND status = 'valid'`

// Sources returns the source ids of the study's items that a person did not judge before the study.
func (p *Project) Sources(a Annotator) (ids []string, err error) {
	earlier, err := store.Select[int64](p.s, `SELECT item FROM earlier WHERE annotator = ?`, a.ID)
	for _, it := range p.Items {
		if !slices.Contains(earlier, it.ID) {
			ids = append(ids, it.Source)
		}
	}
	return ids, err
}

// findEarlier records which study items people judged before the study. It leaves out items that the person has in this study, whose
// sheets `annotate apply` may have added to the run.
func (p *Project) findEarlier() error {
	people, err := store.Select[Annotator](p.s, `SELECT `+store.Columns[Annotator]()+` FROM annotators WHERE returns`)
	if err != nil || len(people) == 0 {
		return err
	}
	run, err := store.Open(p.Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the run was deleted
	}
	if err != nil {
		return err
	}
	defer run.Close()
	items := map[[2]string]int64{}
	for _, it := range p.Items {
		items[[2]string{FormOf(it.Kind).OneSide, it.Source}] = it.ID
	}
	for _, a := range people {
		judged, err := store.Select[struct{ Kind, Source string }](run, judgedBy, data.Human+":"+a.Alias)
		if err != nil {
			return err
		}
		err = p.write(func(tx *sql.Tx) error {
			for _, j := range judged {
				if item := items[[2]string{j.Kind, j.Source}]; item != 0 {
					if _, err := tx.Exec(`INSERT INTO earlier SELECT ?1, ?2 WHERE NOT EXISTS
						(SELECT 1 FROM assignments WHERE annotator = ?1 AND item = ?2) ON CONFLICT DO NOTHING`, a.ID, item); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
