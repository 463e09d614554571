package bench

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
)

// A gateCheck is one requirement of a quality gate in CI, such as a figure above a threshold, and whether it is met.
type gateCheck struct {
	Group   string // what was checked, for instance a criterion of a judge
	Name    string // the requirement, for instance alpha >= 0.6
	Passed  bool
	Message string // what was found
	File    string // the file that the check is about; "" if there is none
}

// A gateError lists the checks of a gate that failed. A command that returns it exits with 4.
type gateError struct{ failed []gateCheck }

func (e gateError) Error() string {
	return "the gate failed:\n  " + strings.Join(data.Each(e.failed, func(c gateCheck) string { return c.Message }), "\n  ")
}

// gateFailed returns a gateError with the checks that failed, or nil if none did. If there are no checks, the gate has failed, too.
func gateFailed(checks []gateCheck) error {
	if len(checks) == 0 {
		return gateError{[]gateCheck{{Message: "nothing could be checked"}}}
	}
	failed := data.Where(checks, func(c gateCheck) bool { return !c.Passed })
	if len(failed) == 0 {
		return nil
	}
	return gateError{failed}
}

// gateFormats maps the value of --format to the function that writes checks in this format.
var gateFormats = map[string]func(w io.Writer, command string, checks []gateCheck) error{
	"junit": writeJUnit, "github": writeGitHub,
}

// gateUsage is the help of the flag --format.
const gateUsage = "print the checks of the gate as `FORM`: junit (XML) or github (annotations of a workflow)"

// knownGateFormat returns a usage error if format is neither "" nor one of gateFormats.
func knownGateFormat(format string) error {
	if format != "" && gateFormats[format] == nil {
		return config.Usagef("--format is %q; it must be junit or github", format)
	}
	return nil
}

// writeGate writes the checks of a command in a format of gateFormats. It also appends them to the summary of a job in GitHub Actions, a
// file that the variable GITHUB_STEP_SUMMARY names.
func writeGate(w io.Writer, format, command string, checks []gateCheck) error {
	err := gateFormats[format](w, command, checks)
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if err != nil || path == "" {
		return err
	}
	return appendSummary(path, command, checks)
}

// writeJUnit writes the checks as JUnit XML, with one test suite per group.
func writeJUnit(w io.Writer, command string, checks []gateCheck) error {
	type failure struct {
		Message string `xml:"message,attr"`
	}
	type testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Failure *failure `xml:"failure"`
		Output  string   `xml:"system-out,omitempty"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	all := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []*suite `xml:"testsuite"`
	}{Name: command, Tests: len(checks)}
	for _, c := range checks {
		index := slices.IndexFunc(all.Suites, func(s *suite) bool { return s.Name == c.Group })
		if index < 0 {
			index = len(all.Suites)
			all.Suites = append(all.Suites, &suite{Name: c.Group})
		}
		s := all.Suites[index]
		test := testCase{Name: c.Name, Class: command}
		if c.Passed {
			test.Output = c.Message
		} else {
			test.Failure = &failure{c.Message}
			s.Failures++
			all.Failures++
		}
		s.Cases = append(s.Cases, test)
		s.Tests++
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// writeGitHub writes the checks as workflow commands of GitHub Actions, which are shown as annotations. A failed check is an error and a
// passed one a notice, for instance `::error file=out.csv,title=compqa compare: gpt::worse by …`.
func writeGitHub(w io.Writer, command string, checks []gateCheck) error {
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, c := range checks {
		level := "notice"
		file := ""
		if !c.Passed {
			level = "error"
		}
		if c.File != "" {
			file = "file=" + property.Replace(c.File) + ","
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, file, property.Replace(command+": "+c.Group),
			text.Replace(c.Message)); err != nil {
			return err
		}
	}
	return nil
}

// appendSummary appends the checks to a file as a table in Markdown. The heading says whether the gate passed.
func appendSummary(path, command string, checks []gateCheck) error {
	cell := strings.NewReplacer("|", `\|`, "\r", " ", "\n", " ", "<", "&lt;", "`", "'")
	failed := len(data.Where(checks, func(c gateCheck) bool { return !c.Passed }))
	answer := fmt.Sprintf("passed (%s)", data.Plural(len(checks), "check", "checks"))
	if failed > 0 || len(checks) == 0 {
		answer = fmt.Sprintf("failed (%d of %s)", failed, data.Plural(len(checks), "check", "checks"))
	}
	text := fmt.Sprintf("### %s: %s\n\n| passed | check | required | found |\n| --- | --- | --- | --- |\n", command, answer)
	for _, c := range checks {
		passed := "**no**"
		if c.Passed {
			passed = "yes"
		}
		text += fmt.Sprintf("| %s | %s | %s | %s |\n", passed, cell.Replace(c.Group), cell.Replace(c.Name), cell.Replace(c.Message))
	}
	return store.AppendFile(path, text+"\n", 0o644)
}
