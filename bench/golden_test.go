package bench

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"compqa/bench/cli"
	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/store"
	"compqa/web/annotate/project"
)

// Golden outputs: what the program prints and writes for the groups of commands in testdata/golden/*.txtar. The repository has
// a SHA-256 of each output, in a file for each group (NAME.sums), because the outputs may contain texts that are not ours.
// Groups whose name begins with "soak" take long, and are compared by `make soak`.
//
// A group has one command per line, and the files that the commands read:
//
//	compqa ARGS…          runs the program, whose output and exit code are an output; words have no blanks
//	model [tables]        starts the server of recordedRun, or of the method strum, as http://model.test
//	replies FILE KEY      makes a question, an answer and a pair for each reply of a file, and starts a server that gives these replies
//	durations RUN         gives all calls of a record the same duration and time
//	secret STUDY          gives a study a known secret, on which the order of its items depends
//	people STUDY NAME…    serves a study: people score, and every page that they and the owner see is an output
//	pages RUN             serves the board, and follows its links
//	copy FROM TO          copies a folder
//
// The folders shared (data that is not in the repository), examples and formats (of data/sources) are there.
//
// COMPQA_GOLDEN names a folder for readable outputs, COMPQA_UPDATE=1 writes the hashes, and COMPQA_PROGRAM names another
// program to run, whose outputs are not compared (`make golden-diff`).
const goldenFolder = "testdata/golden"

func TestGolden(t *testing.T)     { goldenGroups(t, false) }
func TestSoakGolden(t *testing.T) { sharedtest.Soak(t); goldenGroups(t, true) }

func goldenGroups(t *testing.T, long bool) {
	groups, err := filepath.Glob(goldenFolder + "/*.txtar")
	if err != nil || len(groups) == 0 {
		t.Fatal(groups, err)
	}
	for _, file := range groups {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if strings.HasPrefix(name, "soak") != long {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if !alone(t) { // the group works in a folder of its own
				return
			}
			sums, err := filepath.Abs(filepath.Join(goldenFolder, name+".sums"))
			if err != nil {
				t.Fatal(err)
			}
			readable := os.Getenv("COMPQA_GOLDEN")
			if readable != "" && !filepath.IsAbs(readable) {
				readable = filepath.Join(sharedtest.ModuleRoot(t), readable)
			}
			outputs := goldenOutputs(t, string(fileContent(t, file)))
			if readable != "" {
				if err := os.RemoveAll(filepath.Join(readable, name)); err != nil {
					t.Fatal(err)
				}
				writeFiles(t, filepath.Join(readable, name), outputs)
			}
			switch {
			case os.Getenv("COMPQA_PROGRAM") != "":
			case os.Getenv("COMPQA_UPDATE") != "":
				if err := os.WriteFile(sums, []byte(hashes(outputs)), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				compareHashes(t, string(fileContent(t, sums)), hashes(outputs))
			}
		})
	}
}

// hashes returns one line per output: 16 digits of its SHA-256, and its name.
func hashes(outputs map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		sum := sha256.Sum256([]byte(outputs[name]))
		fmt.Fprintf(&b, "%x  %s\n", sum[:8], name)
	}
	return b.String()
}

func compareHashes(t *testing.T, want, got string) {
	t.Helper()
	wanted := strings.Split(strings.TrimSpace(want), "\n")
	changed := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if i := slices.Index(wanted, line); i >= 0 {
			wanted = slices.Delete(wanted, i, i+1)
		} else {
			changed[line[18:]] = true
		}
	}
	for _, line := range wanted {
		if len(line) > 18 {
			changed[line[18:]] = true
		}
	}
	if len(changed) > 0 {
		t.Errorf("%s from testdata/golden/%s.sums:\n  %s\n`make golden-diff REV=HEAD` shows the difference to a revision. "+
			"If all of it is wanted, `make golden` writes the hashes.", data.Plural(len(changed), "output differs", "outputs differ"), path.Base(t.Name()),
			strings.Join(slices.Sorted(maps.Keys(changed)), "\n  "))
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStoredExports: exports made by an earlier revision (4ae68b5) are verified with the same account after each change of the program.
// They are of a run without a model, a run with a model (the server of recordedRun), a set of pairs, and a validation.
func TestStoredExports(t *testing.T) {
	for _, name := range []string{"offline", "live", "drinks", "validation"} {
		t.Run(name, func(t *testing.T) {
			if !alone(t) {
				return
			}
			t.Chdir(filepath.Join(goldenFolder, "exports")) // so that messages always have the same file name
			code, stdout, stderr := compqa("verify", name+".compqa.gz")
			if want := string(fileContent(t, name+".txt")); code != exitDone || stdout != want {
				t.Errorf("exit %d, %s\n%s\nwant\n%s", code, stderr, stdout, want)
			}
		})
	}
}

// A golden is the state of a group of commands that runs in the working directory.
type golden struct {
	*testing.T
	outputs map[string]string // output by name
	known   []string          // texts to replace, each followed by its replacement
	server  *scriptedServer
}

// goldenOutputs runs a group and returns its outputs, without what differs from run to run.
func goldenOutputs(t *testing.T, text string) map[string]string {
	t.Helper()
	group := txtar.Parse([]byte(text))
	links := map[string]string{"examples": filepath.Join(sharedtest.ModuleRoot(t), "examples"),
		"formats": filepath.Join(sharedtest.ModuleRoot(t), "data", "sources", "testdata", "formats")}
	if strings.Contains(text, "shared/") {
		links["shared"] = filepath.Dir(sharedtest.Path(t, "cases5"))
	}
	dir := t.TempDir()
	home := t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{"HOME": home, "TMPDIR": home,
		"COMPQA_TEST_KEY": plantedKey, "ANTHROPIC_API_KEY": "", "COLUMNS": "", "GITHUB_STEP_SUMMARY": ""} {
		t.Setenv(name, value)
	}
	for name, to := range links {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	inputs := map[string]string{}
	for _, f := range group.Files {
		inputs[f.Name] = string(f.Data)
	}
	writeFiles(t, ".", inputs)
	g := &golden{T: t, outputs: map[string]string{}, known: []string{dir, "DIR", home, "HOME"}}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		g.known = append(g.known, links[name], name)
	}
	for line := range strings.Lines(string(group.Comment)) {
		if words := strings.Fields(line); len(words) > 0 && !strings.HasPrefix(line, "#") {
			g.do(words[0], words[1:])
		}
	}
	g.collect(inputs)
	return g.outputs
}

// do runs one line of a group.
func (g *golden) do(command string, args []string) {
	switch command {
	case "compqa":
		g.compqa(args...)
	case "model":
		reply := recordedReply
		if slices.Contains(args, "tables") {
			reply = func(prompt string, _ int) (int, string) {
				_, reply := tableReply(prompt)
				return 200, completion(reply, "stop")
			}
		}
		g.model(reply)
	case "replies":
		g.replies(args[0], args[1])
	case "durations":
		g.change(filepath.Join(args[0], store.RecordName), `UPDATE attempts SET latency_ms = 100, waited_ms = 0, started = '2026-01-02T03:04:05Z'; DELETE FROM sums`)
	case "secret":
		g.change(filepath.Join(args[0], project.FileName), `UPDATE project SET settings = json_set(settings, '$.secret', 'golden')`)
	case "people":
		g.people(args[0], args[1:])
	case "pages":
		g.pages(args[0])
	case "copy":
		if err := os.CopyFS(args[1], os.DirFS(args[0])); err != nil {
			g.Fatal(err)
		}
	default:
		g.Fatalf("there is no %s", command)
	}
}

// model starts the server of models, or changes its replies.
func (g *golden) model(reply func(prompt string, n int) (int, string)) {
	if g.server == nil {
		g.server = newScriptedServer(g.T, reply)
		g.Setenv("HTTP_PROXY", g.server.URL) // so that the configuration always has the same address
	}
	g.server.reply = reply
}

var caseNumber = regexp.MustCompile(`Case (\d+)\.`)

// replies writes a question, an answer and a pair for each reply in a file. It then starts a server that gives these replies.
func (g *golden) replies(file, key string) {
	var replies []string
	var questions, answers, pairs strings.Builder
	for line := range strings.Lines(string(fileContent(g.T, file))) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			g.Fatalf("%s: %v", file, err)
		}
		n := len(replies)
		replies = append(replies, row[key].(string))
		fmt.Fprintf(&questions, "{\"object1\": \"one\", \"object2\": \"two %d\", \"id\": \"c%d\", \"question\": \"Case %d.\"}\n", n, n, n)
		fmt.Fprintf(&answers, "{\"id\": \"c%d\", \"question\": \"Case %d.\", \"text\": \"An answer.\"}\n", n, n)
		fmt.Fprintf(&pairs, "{\"id\": \"c%d\", \"question\": \"Case %d.\", \"a\": \"One answer.\", \"b\": \"Another.\", \"label\": \"a\"}\n", n, n)
	}
	writeFiles(g.T, ".", map[string]string{"questions.jsonl": questions.String(), "answers.jsonl": answers.String(), "pairs.jsonl": pairs.String()})
	g.model(func(prompt string, _ int) (int, string) {
		n, err := strconv.Atoi(caseNumber.FindStringSubmatch(prompt)[1])
		if err != nil {
			g.Error(err)
		}
		return 200, completion(replies[n], "stop")
	})
}

// put keeps an output under a name that no other output has.
func (g *golden) put(name, content string) {
	free := name
	for n := 2; g.outputs[free] != ""; n++ {
		free = strings.TrimSuffix(name, path.Ext(name)) + "~" + strconv.Itoa(n) + path.Ext(name)
	}
	g.outputs[free] = g.steady(content) + "\n"
}

var unnamable = regexp.MustCompile(`[^A-Za-z0-9.=_-]+`)

// compqa runs the program, or the program that COMPQA_PROGRAM names, and keeps what it prints.
func (g *golden) compqa(args ...string) string {
	var out, errs strings.Builder
	code := 0
	if program := os.Getenv("COMPQA_PROGRAM"); program != "" {
		cmd := exec.CommandContext(g.Context(), program, args...)
		cmd.Stdout = &out
		cmd.Stderr = &errs
		if err := cmd.Run(); err != nil {
			code, _ = strconv.Atoi(exitStatus(err))
		}
	} else {
		code = Main(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	}
	name := unnamable.ReplaceAllString(strings.Join(args, " "), "-")
	printed := fmt.Sprintf("$ compqa %s\nexit code %d\n%s--- stderr\n%s", strings.Join(args, " "), code, &out, &errs)
	for _, v := range varyingInPrints {
		printed = v.is.ReplaceAllString(printed, v.by)
	}
	g.put("printed/"+name[:min(len(name), 150)]+".txt", printed)
	return out.String()
}

// collect keeps every file that the group has written.
func (g *golden) collect(inputs map[string]string) {
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(file)
		if name := filepath.ToSlash(file); err == nil && inputs[name] != string(content) {
			g.keep(name, content)
		}
		return err
	})
	if err != nil {
		g.Fatal(err)
	}
}

// keep keeps the content of a file: the rows of a database, the files of an archive, and any other file as it is.
func (g *golden) keep(name string, content []byte) {
	switch {
	case strings.HasSuffix(name, ".lock"):
	case bytes.HasPrefix(content, []byte("SQLite format 3")):
		copied := filepath.Join(g.TempDir(), "copy.db")
		if err := os.WriteFile(copied, content, 0o644); err != nil {
			g.Fatal(err)
		}
		g.put(name+".txt", g.rows(copied))
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			g.Fatal(err)
		}
		for _, f := range archive.File {
			within, err := fs.ReadFile(archive, f.Name)
			if err != nil {
				g.Fatal(err)
			}
			g.keep(name+"/"+f.Name, within)
		}
	case bytes.HasPrefix(content, []byte("\x1f\x8b")):
		g.unpack(name, content)
	case utf8.Valid(content):
		g.put(name, string(content))
	default:
		g.put(name+".txt", fmt.Sprintf("%d bytes, %x", len(content), sha256.Sum256(content)))
	}
}

// unpack keeps the files of a compressed tar archive.
func (g *golden) unpack(name string, content []byte) {
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		g.Fatal(err)
	}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		within, fault := io.ReadAll(archive)
		if err := errors.Join(err, fault); err != nil {
			g.Fatalf("%s: %v", name, err)
		}
		g.keep(name+"/"+header.Name, within)
	}
}

// timings are columns that differ from run to run: durations, ids in the order in which calls end, and random numbers.
var timings = []string{"attempts.latency_ms", "attempts.waited_ms", "attempts.id", "calls.id",
	"annotators.token_hash", "sessions.hash", "events.nonce"}

var callID = regexp.MustCompile(`\d+`)

// rows returns the rows of a database, sorted, with one line for each column that is not empty.
func (g *golden) rows(file string) string {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		g.Fatal(err)
	}
	defer db.Close()
	var tables []string
	query := func(q string, each func(names []string, values []any)) {
		rows, err := db.Query(q)
		if err != nil {
			g.Fatalf("%s: %v", q, err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		for err == nil && rows.Next() {
			values := make([]any, len(names))
			into := make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			err = rows.Scan(into...)
			each(names, values)
		}
		if err = errors.Join(err, rows.Err()); err != nil {
			g.Fatalf("%s: %v", q, err)
		}
	}
	// Views have all rows of the table results.
	query(`SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND name NOT IN ('sums', 'results') ORDER BY name`,
		func(_ []string, values []any) { tables = append(tables, fmt.Sprint(values[0])) })
	calls := map[string]string{} // id of a call to its key, because ids depend on the order in which calls end
	if slices.Contains(tables, "calls") {
		query(`SELECT id, key FROM calls`, func(_ []string, values []any) { calls[fmt.Sprint(values[0])] = fmt.Sprint(values[1]) })
	}
	var b strings.Builder
	for _, table := range tables {
		var all strings.Builder
		query(`SELECT * FROM "`+table+`"`, func(names []string, values []any) {
			all.WriteString("\x00" + table + "\n")
			for i, name := range names {
				if values[i] == nil || values[i] == "" || slices.Contains(timings, table+"."+name) {
					continue
				}
				value := fmt.Sprint(values[i])
				if name == "calls" || name == "call" {
					value = callID.ReplaceAllStringFunc(value, func(id string) string { return calls[id] })
				}
				fmt.Fprintf(&all, "  %s: %s\n", name, value)
			}
		})
		sorted := strings.Split(g.steady(all.String()), "\x00") // so that times do not influence the order
		slices.Sort(sorted)
		b.WriteString(strings.Join(sorted, ""))
	}
	return b.String()
}

// varying are patterns of text that differs from run to run, and the replacements. A pattern begins with letters where possible, which
// makes it fast to find. The patterns of varyingInPrints apply only to printed text.
var varying = []replacement{
	{regexp.MustCompile(`20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?`), "TIME"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`/a/[A-Z2-7]{26}`), "/a/TOKEN"},
	{regexp.MustCompile(`/o/[A-Z2-7]{26}`), "/o/TOKEN"},
	{regexp.MustCompile(`name="nonce" value="[A-Z2-7]{26}`), `name="nonce" value="NONCE`},
	{regexp.MustCompile(`"run": "[0-9a-f]{32}`), `"run": "HASH`}, // the hash of a record that contains times
	{regexp.MustCompile(`Run [0-9a-f]{32}`), "Run HASH"},
	{regexp.MustCompile(`"(run\.db|tables/report\.(?:html|md))",\s+"size": \d+,\s+"sha256": "[0-9a-f]{64}`), `"$1", "sha256": "HASH`}, // they have the day
}

var varyingInPrints = []replacement{
	{regexp.MustCompile(`[0-9.]+/s\b`), "RATE/s"},
	{regexp.MustCompile(`(?m)^( *SHA-256 +)[0-9a-f]{64}`), "${1}HASH"}, // the hash of a file that contains times
	{regexp.MustCompile(`( files, )[0-9.]+ MB`), "${1}SIZE MB"},        // times and secrets of different lengths change the size
}

type replacement struct {
	is *regexp.Regexp
	by string
}

// steady replaces what differs from run to run in a text. In HTML it also puts each tag on a line of its own, for a readable comparison.
func (g *golden) steady(text string) string {
	text = strings.NewReplacer(append(dates(), g.known...)...).Replace(text)
	for _, v := range varying {
		text = v.is.ReplaceAllString(text, v.by)
	}
	if strings.HasPrefix(text, "<!") {
		text = strings.ReplaceAll(text, "><", ">\n<")
	}
	return text
}

// dates returns today and yesterday in the formats that the program writes, each followed by its replacement.
func dates() (pairs []string) {
	for _, now := range []time.Time{time.Now(), time.Now().UTC(), time.Now().AddDate(0, 0, -1)} {
		for _, layout := range []string{"02 Jan 2006"} {
			pairs = append(pairs, now.Format(layout), "DATE")
		}
	}
	return pairs
}

// change changes a database with a query.
func (g *golden) change(file, query string) {
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec(query)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		g.Fatal(err)
	}
}

// minutes sets the duration of every event of a study to one minute, because the server measures real time.
func (g *golden) minutes(study string) {
	g.change(filepath.Join(study, project.FileName), `DROP TRIGGER events_keep;
		UPDATE events SET server_ms = 60000, active_ms = 60000;
		CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT raise(ABORT, 'events are append-only'); END`)
}

var linkedPage = regexp.MustCompile(`href="(/[^"#]*)`)

// pages serves a board and keeps its first 40 pages, in the order of their links.
func (g *golden) pages(dir string) {
	s := startPages(g.T, dir)
	s.until(g.T, "/judges", func(page string) bool { return !strings.Contains(page, `http-equiv="refresh"`) }) // its tables are computed
	list := []string{"/"}
	for i := 0; i < len(list) && i < 40; i++ {
		page, err := s.page(list[i])
		if err != nil {
			page = err.Error()
		}
		g.put("board/"+unnamable.ReplaceAllString(list[i], "-")+".html", page)
		for _, link := range linkedPage.FindAllStringSubmatch(page, -1) {
			if to := html.UnescapeString(link[1]); !slices.Contains(list, to) {
				list = append(list, to)
			}
		}
	}
}

var (
	ownersLink = regexp.MustCompile(`(http://[^/]+)(/o/\S+)`)
	itemsForm  = regexp.MustCompile(`<form method="post" action="([^"]+)" id="sheet"`)
	formValue  = regexp.MustCompile(`<input type="(hidden|radio)" name="([^"]+)" value="([^"]*)"`)
	pagesForm  = regexp.MustCompile(`<form method="post" action="(/consent|/read|/check|/replies/[a-z]+)"`)
)

// people serves a study. Each person practises and scores all items. Every page that the people and the owner see is kept.
func (g *golden) people(study string, names []string) {
	s := startServer(g.T, "annotate", "serve", study, "--listen", "127.0.0.1:0")
	link := ownersLink.FindStringSubmatch(s.printed)
	if link == nil {
		g.Fatalf("%q has no link of the owner", s.printed)
	}
	for _, name := range names {
		_, token, found := strings.Cut(strings.TrimSpace(g.compqa("annotate", "invite", name, study)), "/a/")
		if !found {
			g.Fatalf("%s is not invited", name)
		}
		visit := g.visitor(link[1], study+"/"+name)
		visit("/a/"+token, nil)
		page := visit("/a/"+token, url.Values{})
		for n := 0; n < 200; n++ {
			if to, form := filled(page, n+len(name)); to != "" {
				page = visit(to, form)
			} else if strings.Contains(page, `href="/work">Continue`) {
				page = visit("/work", nil)
			} else {
				break
			}
		}
	}
	g.minutes(study)
	owner := g.visitor(link[1], study+"/owner")
	owner(link[2], nil)
	owner(link[2], url.Values{})
	to, form := filled(owner("/owner/adjudicate", url.Values{"item": {"1"}}), 1)
	if to == "" {
		g.Fatal("people agree on item 1, which the owner is to decide")
	}
	owner(to, form)
	g.minutes(study)
	owner("/owner/changes", nil)
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
}

// visitor returns a function that requests pages with one person's cookies, follows redirects and keeps the replies.
func (g *golden) visitor(address, whose string) func(to string, form url.Values) string {
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Timeout: time.Minute}
	n := 0
	return func(to string, form url.Values) string {
		g.Helper()
		var reply *http.Response
		var err error
		if form == nil {
			reply, err = client.Get(address + to)
		} else {
			reply, err = client.PostForm(address+to, form)
		}
		if err != nil {
			g.Fatal(err)
		}
		defer reply.Body.Close()
		page, err := io.ReadAll(reply.Body)
		if err != nil {
			g.Fatal(err)
		}
		n++
		g.put(fmt.Sprintf("study/%s-%02d.html", whose, n), fmt.Sprintf("%s\n<!-- %s -->", page, reply.Status))
		return string(page)
	}
}

// filled returns the filled form of a page: its target, and values that depend on number. to is "" if the page has no form.
func filled(page string, number int) (to string, form url.Values) {
	m := itemsForm.FindStringSubmatch(page)
	form = url.Values{"active_ms": {"1000"}, "view": {"rendered"}, "kind": {"submit"}, "agree": {"yes"}}
	if m == nil {
		m = pagesForm.FindStringSubmatch(page)
	}
	if m == nil {
		return "", nil
	}
	options := map[string][]string{}
	for _, field := range formValue.FindAllStringSubmatch(page, -1) {
		if field[1] == "radio" {
			options[field[2]] = append(options[field[2]], html.UnescapeString(field[3]))
		} else if form[field[2]] == nil {
			form.Set(field[2], field[3])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		number += len(name) // so that fields get different values
		choice := options[name][number%len(options[name])]
		if slices.Contains(options[name], "right") { // a question about the guidelines
			choice = "right"
		}
		form.Set(name, choice)
	}
	return m[1], form
}
