package bench

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var gateCases = []gateCheck{
	{Group: "correct", Name: "alpha >= 0.6", Passed: true, Message: "alpha of correct is .712", File: "log.jsonl"},
	{Group: "style, <b>: 50%", Name: "alpha >= 0.6", Message: "alpha of style is .2\n::error::forged", File: "a:b,c.csv"},
}

// TestWriteGate: each format has every check, and text from outside cannot end a field early.
func TestWriteGate(t *testing.T) {
	if !alone(t) {
		return
	}
	write := func(format string) string {
		var b bytes.Buffer
		if err := writeGate(&b, format, "compqa validate", gateCases); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(write("junit")), &suites); err != nil || suites.Tests != 2 || suites.Failures != 1 || len(suites.Suites) != 2 ||
		suites.Suites[0].Cases[0].Failure != nil || suites.Suites[1].Name != gateCases[1].Group ||
		suites.Suites[1].Cases[0].Failure.Message != gateCases[1].Message {
		t.Errorf("%v: %+v", err, suites)
	}
	want := "::notice file=log.jsonl,title=compqa validate%3A correct::alpha of correct is .712\n" +
		"::error file=a%3Ab%2Cc.csv,title=compqa validate%3A style%2C <b>%3A 50%25::alpha of style is .2%0A::error::forged\n"
	if got := write("github"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	summary := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	write("github")
	text, err := os.ReadFile(summary)
	if err != nil || !strings.HasPrefix(string(text), "### compqa validate: failed (1 of 2 checks)\n\n") || !strings.Contains(string(text), "| yes | correct | alpha >= 0.6 | alpha of correct is .712 |\n| **no** | style, &lt;b>: 50% |") ||
		strings.Count(string(text), "\n") != 7 {
		t.Errorf("%v: %s", err, text)
	}
	write("junit")
	if text, err := os.ReadFile(summary); err != nil || strings.Count(string(text), "\n") != 14 {
		t.Errorf("%v: %s", err, text)
	}
}

func TestGateFailed(t *testing.T) {
	t.Parallel()
	if gateFailed(gateCases[:1]) != nil {
		t.Error("no check failed")
	}
	if err := gateFailed(nil); err == nil || err.Error() != "the gate failed:\n  nothing could be checked" {
		t.Errorf("no check: %v", err)
	}
	if err := gateFailed(gateCases); err == nil || !strings.HasPrefix(err.Error(), "the gate failed:\n  alpha of style is .2") {
		t.Error(err)
	}
	if knownGateFormat("junit") != nil || knownGateFormat("") != nil || knownGateFormat("xml") == nil {
		t.Error("forms")
	}
}
