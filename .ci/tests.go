// Tests prints what go test -json writes, as go test does: a line for each package, and all that a failed test has written. At the end it
// lists the tests that were skipped, by their reason; a test whose name begins with TestSoak must be among them. It ends with the exit
// code of go test, which it is given as a last line "exit CODE":
//
//	{ go test -json ./...; echo "exit $?"; } | go run .ci/tests.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An event is a line of go test -json (go doc test2json), or of a build.
type event struct{ Action, Package, Test, Output string }

// A report is what is known of the tests so far.
type report struct {
	written map[string]*strings.Builder // by a test that has not ended
	skipped map[string][]string         // the tests, by reason
	long    []string                    // tests that ran although they are for `make soak` alone
}

func main() {
	r := &report{written: map[string]*strings.Builder{}, skipped: map[string][]string{}}
	code := 1 // if go test does not say it
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if after, is := strings.CutPrefix(line, "exit "); is {
			code, _ = strconv.Atoi(strings.TrimSpace(after))
		} else if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Print(line) // go itself says something
		} else {
			r.add(e)
		}
		if err != nil {
			break
		}
	}
	r.list()
	if len(r.long) > 0 {
		fmt.Println("FAIL: these tests ran without COMPQA_SOAK=1; they must call sharedtest.Soak:", strings.Join(r.long, ", "))
		code = max(code, 1)
	}
	os.Exit(code)
}

// add takes an event in, and prints what belongs to a package, a build or a failed test.
func (r *report) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" {
			if e.Output != "PASS\n" {
				fmt.Print(e.Output)
			}
			return
		}
		if r.written[key] == nil {
			r.written[key] = &strings.Builder{}
		}
		r.written[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e.Package)
			return
		}
		text := ""
		if b := r.written[key]; b != nil {
			text = b.String()
		}
		delete(r.written, key)
		switch e.Action {
		case "pass":
			if strings.HasPrefix(e.Test, "TestSoak") && os.Getenv("COMPQA_SOAK") == "" {
				r.long = append(r.long, e.Test)
			}
		case "fail":
			fmt.Print(text)
		case "skip":
			why := reason(text)
			r.skipped[why] = append(r.skipped[why], e.Test)
		}
	}
}

// endPackage prints what tests have written that did not end, as after a panic.
func (r *report) endPackage(name string) {
	for key, b := range r.written {
		if strings.HasPrefix(key, name+" ") {
			fmt.Print(b)
			delete(r.written, key)
		}
	}
}

var (
	where  = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: `)
	marked = regexp.MustCompile(`^(SKIPPED|NOT TESTED):? `)
)

// reason returns the first line that a skipped test has written.
func reason(text string) string {
	place := where.FindStringIndex(text)
	if place == nil {
		return "no reason"
	}
	line, _, _ := strings.Cut(text[place[1]:], "\n")
	return marked.ReplaceAllString(line, "")
}

// list prints the reasons with the first tests of each.
func (r *report) list() {
	if len(r.skipped) == 0 {
		return
	}
	fmt.Println("\nSkipped:")
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		tests := slices.Sorted(slices.Values(r.skipped[why]))
		names := strings.Join(tests[:min(len(tests), 3)], ", ")
		if len(tests) > 3 {
			names += fmt.Sprintf(" and %d more", len(tests)-3)
		}
		fmt.Printf("  %s: %s\n", why, names)
	}
}
