package docs

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// A listed is a package as `go list -deps` prints it, after the packages that it imports.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
}

// TestSoakPlatforms type-checks compqa's own code for every platform of `make dist`. It skips function bodies in other modules. Compiling
// for five more platforms instead would take half an hour of processor time.
func TestSoakPlatforms(t *testing.T) {
	sharedtest.Soak(t)
	makefile, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	platforms := strings.Fields(string(regexp.MustCompile(`(?m)^PLATFORMS \?= (.*)$`).FindSubmatch(makefile)[1]))
	if len(platforms) != 6 {
		t.Errorf("the Makefile names %d platforms: %v", len(platforms), platforms)
	}
	for _, platform := range platforms {
		if !strings.HasSuffix(platform, "/arm64") {
			continue
		}
		t.Run(platform, func(t *testing.T) {
			for _, err := range typeErrors(t, platform) {
				t.Error(err)
			}
		})
	}
}

// typeErrors returns the type errors in compqa's own packages for a platform.
func typeErrors(t *testing.T, platform string) (found []error) {
	t.Helper()
	system, arch, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap", ".")
	list.Dir = sharedtest.ModuleRoot(t)
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]*types.Package{"unsafe": types.Unsafe}
	files := token.NewFileSet()
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		named := p.ImportPath == "compqa" || strings.HasPrefix(p.ImportPath, "compqa/")
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		check := types.Config{Importer: mapped{packages, p.ImportMap}, Sizes: types.SizesFor("gc", arch), IgnoreFuncBodies: !named,
			Error: func(err error) {
				if named {
					found = append(found, err)
				}
			}}
		if p.ImportPath != "unsafe" {
			packages[p.ImportPath], _ = check.Check(p.ImportPath, files, parsed, nil) // errors go to the function Error
		}
	}
}

// A mapped is an importer that finds packages by the import paths that another package uses for them.
type mapped struct {
	packages map[string]*types.Package
	paths    map[string]string
}

func (m mapped) Import(path string) (*types.Package, error) {
	if to := m.paths[path]; to != "" {
		path = to
	}
	if p := m.packages[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("it is not listed before what imports it: " + path)
}
