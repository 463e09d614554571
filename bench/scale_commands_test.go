package bench

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"compqa/rubric"
)

// BenchmarkScaleCommands measures the commands that read or write many values, in processor seconds and peak memory. The files have as many
// verdicts as COMPQA_SCALE says (default 500,000), or a fifth of them. Each command is measured COMPQA_ROUNDS times (default 3). It
// alternates with the program that COMPQA_BEFORE names, and with what a user could use instead (testdata/speed_peers.py, run by
// COMPQA_PYTHON or python3). The table shows the medians. COMPQA_ROWS is a regular expression for the rows to measure.
//
// The program COMPQA_BEFORE may not be able to read records or studies of this version. COMPQA_BEFORE_FILES is then a folder with a run
// "asked" and a "study" of its own, of the same size.
func BenchmarkScaleCommands(b *testing.B) {
	most := setting("COMPQA_SCALE", 500_000)
	only := regexp.MustCompile(os.Getenv("COMPQA_ROWS"))
	for b.Loop() {
		small := newScaleFiles(b, most/5)
		large := newScaleFiles(b, most)
		fmt.Printf("\n%d and %d verdicts; a fifth as many items in validate, of five criteria and three people; twice as many ratings in agree; "+
			"a sixth as many pairs; a fiftieth as many sheets of five people (load %s)\n\n", small.n, large.n, load())
		fmt.Println("| work | now | exponent | before | now / before: time, memory | peer | now / peer: time, memory |")
		fmt.Println("|---|---|---|---|---|---|---|")
		for _, row := range scaleRows {
			if only.MatchString(row.name) {
				fmt.Println(row.measure(small, large))
			}
		}
	}
}

// setting returns the number in an environment variable, or the default otherwise.
func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// A scaleRow is a row of the table: work that one or several commands do.
type scaleRow struct {
	name     string
	commands func(p *scaleProgram) [][]string
	peer     func(f *scaleFiles) []string // arguments of speed_peers.py; nil without a peer
	fixed    bool                         // whether the size does not depend on COMPQA_SCALE
	size     bool                         // whether the size of the output "written" is measured, too
}

var scaleRows = []scaleRow{
	{name: "import, export --format csv, show --disagree", commands: func(p *scaleProgram) [][]string {
		run := p.fresh("read")
		return [][]string{p.files.importing(run), {"export", run, "--format", "csv", "--out", p.fresh("csv")}, {"show", run, "--disagree"}}
	}, peer: func(f *scaleFiles) []string {
		return []string{"record", f.answers, f.verdicts, f.people, f.in("duckdb")}
	}},
	{name: "report", commands: func(p *scaleProgram) [][]string { return [][]string{{"report", p.imported()}} }},
	{name: "export --format inspect", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"export", p.imported(), "--format", "inspect", "--out", p.fresh("inspect")}}
	}},
	{name: "compare", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"compare", p.imported(), p.imported(), "--system", "model-1", "--with", "model-2"}}
	}},
	{name: "export of a run", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"export", p.own("asked"), "--out", p.fresh("asked.compqa.gz")}}
	}},
	{name: "verify", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"verify", p.made("verified.compqa.gz", "export", p.own("asked"), "--out")}}
	}},
	{name: "validate", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"validate", p.files.judged, "--people", p.files.scored, "--out", p.fresh("validation")}}
	}, peer: func(f *scaleFiles) []string { return []string{"validate", f.judged, f.scored} }},
	{name: "agree", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"agree", "--units", p.files.ratings, "--out", p.fresh("agree.csv")}}
	}, peer: func(f *scaleFiles) []string { return []string{"agree", f.ratings} }},
	{name: "pairwise import", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"pairwise", "import", "--format", "table", "--in", p.files.pairs, "--out", p.fresh("preferences")}}
	}},
	{name: "run --only pairs", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"run", "--only", "pairs", "--config", p.files.pairsConfig, "--out", p.fresh("compared")}}
	}},
	{name: "pairwise report", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"pairwise", "report", p.made("pairs", "run", "--only", "pairs", "--config", p.files.pairsConfig, "--out")}}
	}, peer: func(f *scaleFiles) []string { return []string{"pairs", f.pairs} }},
	{name: "annotate status", commands: func(p *scaleProgram) [][]string { return [][]string{{"annotate", "status", p.own("study")}} }},
	{name: "annotate export", commands: func(p *scaleProgram) [][]string {
		return [][]string{{"annotate", "export", p.own("study"), "--out", p.fresh("sheets")}}
	}, peer: func(f *scaleFiles) []string {
		return []string{"sheets", filepath.Join(f.now.made("values", "annotate", "export", f.now.own("study"), "--out"), "values.csv")}
	}},
	{name: "run of 10,000 calls", fixed: true, commands: func(p *scaleProgram) [][]string {
		return [][]string{{"run", "--config", p.files.speedConfig(), "--out", p.fresh("run")}}
	}},
	{name: "serve --write of the authors' release", fixed: true, size: true, commands: func(p *scaleProgram) [][]string {
		release := filepath.Join(os.Getenv("COMPQA_SHARED"), "data", "cqa-release")
		if _, err := os.Stat(release); err != nil {
			return nil
		}
		return [][]string{{"serve", p.made("released", "run", "--release", release, "--out"), "--write", p.fresh("written")}}
	}},
}

// A scaleFiles holds the files of one size, which all programs read.
type scaleFiles struct {
	b                                      *testing.B
	n                                      int // number of verdicts
	dir, config, pairsConfig               string
	answers, verdicts, people              string
	judged, scored, ratings, pairs, server string
	now, before                            *scaleProgram // before is nil without COMPQA_BEFORE
}

func newScaleFiles(b *testing.B, n int) *scaleFiles {
	f := &scaleFiles{b: b, n: n, dir: b.TempDir(), config: scaleConfig(b, "http://127.0.0.1:1", n/perQuestion)}
	f.answers, f.verdicts, f.people = importFiles(b, f.dir, rubric.CQA(), n)
	f.judged, f.scored = validateFiles(b, f.dir, n/5, 5, 3)
	f.ratings = ratingsFile(b, f.in("ratings.csv"), 2*n)
	f.pairs = pairsFile(b, f.in("pairs.csv"), n*4/25)
	f.pairsConfig = scaleFile(b, f.in("pairs.yaml"), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "pairs: [{name: pairs, path: %q}]\n", f.pairs)
		return err
	})
	f.now = &scaleProgram{files: f, path: os.Getenv("COMPQA_PROGRAM"), dir: f.in("now")}
	if path := os.Getenv("COMPQA_BEFORE"); path != "" {
		f.before = &scaleProgram{files: f, path: path, dir: f.in("before")}
	}
	return f
}

func (f *scaleFiles) in(name string) string { return filepath.Join(f.dir, name) }

func (f *scaleFiles) importing(out string) []string {
	return []string{"import", "--config", f.config, "--answers", f.answers, "--verdicts", f.verdicts, "--people", f.people, "--out", out}
}

// speedConfig returns the configuration of a run with a server. The first call starts the server.
func (f *scaleFiles) speedConfig() string {
	if f.server == "" {
		f.server = startSlowServer(f.b, answerTime)
	}
	return speedConfig(f.b, f.server)
}

// A scaleProgram is one version of the program, with its own output files.
type scaleProgram struct {
	files     *scaleFiles
	path, dir string
}

// fresh returns the path of an output, after removing an earlier output.
func (p *scaleProgram) fresh(name string) string {
	path := filepath.Join(p.dir, name)
	if err := os.RemoveAll(path); err != nil {
		p.files.b.Fatal(err)
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		p.files.b.Fatal(err)
	}
	return path
}

// made returns the path of an output. If it does not exist, a command makes it; the path is added as the last argument.
func (p *scaleProgram) made(name string, args ...string) string {
	path := filepath.Join(p.dir, name)
	if _, err := os.Stat(path); err != nil {
		if _, err := measuredBy(p.path, append(args, p.fresh(name))...); err != nil {
			fmt.Fprintln(os.Stderr, err) // an earlier program may not know the command; commands that read the output then fail, too
		}
	}
	return path
}

// imported returns the run into which the files are imported.
func (p *scaleProgram) imported() string {
	args := p.files.importing("")
	return p.made("imported", args[:len(args)-1]...)
}

// own returns the path of a run with recorded calls of judges ("asked"), or of a study with sheets ("study").
func (p *scaleProgram) own(name string) string {
	f := p.files
	if folder := os.Getenv("COMPQA_BEFORE_FILES"); p == f.before && folder != "" {
		return filepath.Join(folder, name)
	}
	path := f.in(name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if name == "study" {
		annotationFile(f.b, path, f.n/50)
	} else {
		makeRecord(f.b, f.config, path)
	}
	return path
}

// measure measures the work by all programs in turn, and returns a row of the table.
func (r scaleRow) measure(small, large *scaleFiles) string {
	var now, before, peer, less []usage
	var written, writtenBefore int64
	if r.commands(large.now) == nil {
		return fmt.Sprintf("| %s | – | – | – | – | – | – |", r.name)
	}
	for range setting("COMPQA_ROUNDS", 3) {
		used, err := r.took(large.now)
		if err != nil {
			large.b.Fatal(err)
		}
		now = append(now, used)
		written = sizeOf(filepath.Join(large.now.dir, "written"))
		if large.before != nil {
			if used, err := r.took(large.before); err != nil {
				fmt.Fprintln(os.Stderr, err)
			} else {
				before = append(before, used)
				writtenBefore = sizeOf(filepath.Join(large.before.dir, "written"))
			}
		}
		if used, ok := r.tookPeer(large); ok {
			peer = append(peer, used)
		}
		if !r.fixed {
			used, err := r.took(small.now)
			if err != nil {
				small.b.Fatal(err)
			}
			less = append(less, used)
		}
	}
	exponent := "–"
	if !r.fixed {
		exponent = fmt.Sprintf("%.2f", math.Log(median(now).cpu.Seconds()/median(less).cpu.Seconds())/math.Log(float64(large.n)/float64(small.n)))
	}
	size := func(bytes int64) string {
		if !r.size {
			return ""
		}
		return fmt.Sprintf(", writes %d MB", bytes>>20)
	}
	return fmt.Sprintf("| %s | %s%s | %s | %s%s | %s | %s | %s |", r.name, figures(now), size(written), exponent, figures(before),
		size(writtenBefore), ratios(now, before), figures(peer), ratios(now, peer))
}

// took runs a row's commands with a program. It returns the sum of their times and the largest memory.
func (r scaleRow) took(p *scaleProgram) (all usage, err error) {
	for _, args := range r.commands(p) {
		used, err := measuredBy(p.path, args...)
		if err != nil {
			return usage{}, err
		}
		all.cpu += used.cpu
		all.memory = max(all.memory, used.memory)
	}
	return all, nil
}

// tookPeer measures what users would use instead of compqa. It returns false without such a program.
func (r scaleRow) tookPeer(f *scaleFiles) (used usage, ok bool) {
	python := os.Getenv("COMPQA_PYTHON")
	if python == "" {
		python = "python3"
	}
	if r.peer == nil {
		return usage{}, false
	}
	used, err := tryTook(exec.Command(python, append([]string{"testdata/speed_peers.py"}, r.peer(f)...)...))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return used, err == nil
}

// median returns the median of the times and the median of the memory.
func median(used []usage) usage {
	middle := func(less func(a, b usage) int) usage {
		return slices.SortedFunc(slices.Values(used), less)[len(used)/2]
	}
	return usage{cpu: middle(func(a, b usage) int { return int(a.cpu - b.cpu) }).cpu,
		memory: middle(func(a, b usage) int { return int(a.memory - b.memory) }).memory}
}

func figures(used []usage) string {
	if len(used) == 0 {
		return "–"
	}
	m := median(used)
	return fmt.Sprintf("%.2f s, %d MB", m.cpu.Seconds(), m.memory>>20)
}

func ratios(used, others []usage) string {
	if len(used) == 0 || len(others) == 0 {
		return "–"
	}
	a := median(used)
	b := median(others)
	return fmt.Sprintf("%.2f, %.2f", a.cpu.Seconds()/b.cpu.Seconds(), float64(a.memory)/float64(b.memory))
}

// sizeOf returns the total size of the files in a folder.
func sizeOf(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}
