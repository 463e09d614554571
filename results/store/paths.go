package store

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// filePlaces matches the keys of a configuration that name files. Names of models, commands of providers and options may also be paths,
// but results depend on them, so WithoutPaths keeps them.
var filePlaces = regexp.MustCompile(`^\$\.(dataset|rubric|prices\.file|` +
	`(scenarios|models|judges|summary_judges|pairs|pairwise)\[\d+\]\.(path|sources|template|examples|aspects|trained_on))$`)

// absolutePath matches an absolute path of any platform.
var absolutePath = regexp.MustCompile(`^(/|\\\\|[A-Za-z]:[/\\])`)

// pathColumns lists, by table, the columns whose text may contain names of files from the configuration.
var pathColumns = map[string][]string{"run": {"dataset", "sources"}, "parties": {"about", "trained_on"}, "plan": {"note"},
	"sets": {"source"}, "unplaced": {"source", "reason"}, "answers": {"reason"}, "results": {"reason"}, "attempts": {"reason"}}

// A namedFile is a string in the configuration of a run that may name a file. Place is its JSON path.
type namedFile struct {
	Run         int
	Place, Text string
}

// WithoutPaths returns the SQL statements that delete names of local files from a copy of a record. They delete the last report and the
// origins of reused replies, and replace absolute paths of the configuration, wherever they occur, by names without folders
// (namesWithoutFolder).
func (s *Store) WithoutPaths() (statements []string, err error) {
	statements = []string{`DELETE FROM sums WHERE name = '` + lastReport + `'`, `UPDATE calls SET origin = 'another run' WHERE origin <> ''`}
	files, err := Select[namedFile](s, `SELECT run.id, fullkey, atom FROM run, json_tree(config)
		WHERE json_valid(config) AND type = 'text' ORDER BY 1, json_tree.id`)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f namedFile) bool {
		return !absolutePath.MatchString(f.Text) || !filePlaces.MatchString(strings.ReplaceAll(f.Place, `"`, ""))
	})
	names := namesWithoutFolder(files)
	for _, f := range files {
		statements = append(statements, fmt.Sprintf(`UPDATE run SET config = json_replace(config, %s, %s) WHERE id = %d`, quoted(f.Place),
			quoted(names[f.Text]), f.Run))
	}
	paths := slices.SortedFunc(maps.Keys(names), func(a, b string) int { // longer paths first, because a path may begin with another
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, path := range paths {
		for _, table := range slices.Sorted(maps.Keys(pathColumns)) {
			for _, column := range pathColumns[table] {
				statements = append(statements, fmt.Sprintf(`UPDATE %s SET %s = replace(%[2]s, %s, %s) WHERE instr(%[2]s, %[3]s) > 0`,
					table, column, quoted(path), quoted(names[path])))
			}
		}
	}
	return statements, nil
}

// namesWithoutFolder returns, by path, the name of each file with "…/" instead of its folder. The "…/" shows that a folder was left
// out, and distinguishes the name from a built-in rubric or dataset. If files share a name, all but the first get a part of the hash of
// their path.
func namesWithoutFolder(files []namedFile) map[string]string {
	names := map[string]string{}
	taken := map[string]bool{}
	for _, f := range files {
		if names[f.Text] != "" {
			continue
		}
		path := strings.TrimRight(f.Text, `/\`)
		name := "…/" + path[strings.LastIndexAny(path, `/\`)+1:]
		if taken[name] {
			name = fmt.Sprintf("%s (%.8x)", name, sha256.Sum256([]byte(f.Text)))
		}
		names[f.Text] = name
		taken[name] = true
	}
	return names
}

// quoted returns a text as an SQL string literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
