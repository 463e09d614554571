package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// folders lists the top-level folders with code, each with the folders that it may import.
var folders = map[string][]string{
	"data":      {},
	"docs":      {},
	"python":    {},
	"rubric":    {},
	"llm":       {},
	"stats":     {},
	"scenarios": {"data", "llm"},
	"judges":    {"data", "llm", "rubric", "stats"},
	"results":   {"data", "llm", "rubric", "stats"},
	"web":       {"docs", "data", "llm", "rubric", "stats", "results"},
	"bench":     {"docs", "data", "llm", "rubric", "stats", "scenarios", "judges", "results", "web"},
}

// order lists the packages of a folder, level by level. A package may import only packages of lower levels.
var order = map[string][][]string{
	"data":    {{"data/sheets"}, {"data"}, {"data/cqa50"}, {"data/sources"}, {"data/sources/release"}},
	"results": {{"table", "raters"}, {"plot", "store", "trust", "validation/scales"}, {"dataset", "checks"}, {"recordtest", "paper", "leaderboard", "compare", "summaries", "validation"}, {"agreement", "humanpoints"}, {"judgequality"}, {"report"}, {"preferences"}, {"archive"}, {"train"}},
}

// exceptions are further allowed imports: offline systems read texts as the judges do.
var exceptions = map[string]string{"scenarios": "judges/text/lexical", "scenarios/strum": "judges/text/lexical"}

// isForTests reports whether only tests import a package, such as test servers and fixtures.
func isForTests(pkg string) bool { return strings.HasSuffix(pkg, "test") }

func room(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// level returns the level of a package in order, or -1 if its folder has no levels.
func level(pkg string) int {
	return slices.IndexFunc(order[room(pkg)], func(names []string) bool {
		return slices.Contains(names, pkg) || slices.Contains(names, strings.TrimPrefix(pkg, room(pkg)+"/"))
	})
}

func mayImport(pkg, imported string) bool {
	switch {
	case isForTests(imported):
		return isForTests(pkg)
	case pkg == ".":
		return imported == "bench"
	case exceptions[pkg] == imported:
		return true
	case room(pkg) != room(imported):
		return slices.Contains(folders[room(pkg)], room(imported))
	case order[room(pkg)] == nil:
		return true // Go refuses cycles
	}
	return level(imported) < level(pkg)
}

// notCode are folders that Go ignores or that are not in the repository.
var notCode = []string{"testdata", "dist", "release"}

// sources parses all files of the module except tests, by package folder ("." is the root). It opens the files itself, so that `go test`
// runs these tests again when a file has changed.
func sources(t *testing.T, mode parser.Mode) map[string][]*ast.File {
	t.Helper()
	root := sharedtest.ModuleRoot(t)
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains(notCode, entry.Name())):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, mode)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		packages[filepath.ToSlash(folder)] = append(packages[filepath.ToSlash(folder)], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// TestArchitecture: every package is in a known folder and has a level, and imports only what its folder and level allow.
func TestArchitecture(t *testing.T) {
	t.Parallel()
	packages := sources(t, parser.ImportsOnly)
	if len(packages) < len(folders) {
		t.Fatalf("the module has %d packages only", len(packages))
	}
	for pkg, files := range packages {
		if pkg != "." && folders[room(pkg)] == nil {
			t.Errorf("%s: the plan has no folder %s", pkg, room(pkg))
		}
		if order[room(pkg)] != nil && level(pkg) < 0 && !isForTests(pkg) {
			t.Errorf("%s has no place in the order of %s", pkg, room(pkg))
		}
		for _, file := range files {
			for _, spec := range file.Imports {
				imported := strings.Trim(spec.Path.Value, `"`)
				if strings.HasPrefix(imported, "compqa") && !mayImport(pkg, inModule(imported)) {
					t.Errorf("%s imports %s", pkg, imported)
				}
			}
		}
	}
}

// inModule returns the folder of a package in the module; "." is its root.
func inModule(importPath string) string {
	if importPath == "compqa" {
		return "."
	}
	return strings.TrimPrefix(importPath, "compqa/")
}

// card lists the external packages that the design names, each with an identifier that the program uses.
var card = map[string]string{
	"github.com/sashabaranov/go-openai": "NewClientWithConfig", "github.com/ollama/ollama/api": "ChatRequest",
	"gonum.org/v1/gonum/mat": "NewDense", "github.com/olekukonko/tablewriter": "NewTable", "github.com/gocarina/gocsv": "UnmarshalCSV",
}

func TestCard(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for pkg, files := range sources(t, parser.SkipObjectResolution) {
		if isForTests(pkg) || room(pkg) == "python" { // not part of the program
			continue
		}
		for _, file := range files {
			addUses(used, file)
		}
	}
	for pkg, name := range card {
		if !used[pkg+"."+name] {
			t.Errorf("the program does not use %s.%s", pkg, name)
		}
	}
}

// addUses records which identifiers of other packages a file uses.
func addUses(used map[string]bool, file *ast.File) {
	imports := map[string]string{} // import paths, by their names in the file
	for _, spec := range file.Imports {
		importPath := strings.Trim(spec.Path.Value, `"`)
		name := strings.TrimPrefix(path.Base(importPath), "go-")
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = importPath
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var what ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			what = n.Fun
		case *ast.CompositeLit:
			what = n.Type
		}
		if index, generic := what.(*ast.IndexExpr); generic {
			what = index.X
		}
		if selector, ok := what.(*ast.SelectorExpr); ok {
			if pkg, ok := selector.X.(*ast.Ident); ok {
				used[imports[pkg.Name]+"."+selector.Sel.Name] = true
			}
		}
		return true
	})
}
