package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"
	"github.com/xuri/excelize/v2"

	"compqa/data/sharedtest"
	"compqa/docs"
)

// update is the environment variable with which the test writes the printed output into the manual.
const update = "COMPQA_UPDATE"

// fence matches a fenced block of a page, with the comment before it that names a file. Blocks without a comment are only shown, unless
// they are of type console.
var fence = regexp.MustCompile("(?ms)^(?:<!-- file: (\\S+) -->\n)?```(\\w*)\n(.*?)^```$")

// TestManual runs the commands of each page of the manual, one after the other in an empty folder, and compares their output with the page.
// A block after `<!-- file: NAME -->` is first written to the file (CSV as Excel if NAME ends in .xlsx). A line "…" stands for any lines.
// The server at 127.0.0.1:8000 gives every answer full marks. With COMPQA_UPDATE=1 the output is written into the page instead.
func TestManual(t *testing.T) {
	root := sharedtest.ModuleRoot(t)
	for _, topic := range docs.Topics() {
		text, _ := docs.Source(topic)
		if !strings.Contains(text, "```console") {
			continue
		}
		t.Run(topic, func(t *testing.T) {
			if !alone(t) {
				return
			}
			server := obligingServer(t)
			for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "GITHUB_STEP_SUMMARY", "OPENAI_API_KEY"} {
				t.Setenv(name, "")
			}
			t.Chdir(t.TempDir())
			changed := fence.ReplaceAllStringFunc(text, func(block string) string {
				m := fence.FindStringSubmatch(block)
				if m[1] != "" {
					writeBlock(t, m[1], strings.ReplaceAll(m[3], "http://127.0.0.1:8000", server.URL))
				}
				if m[2] != "console" {
					return block
				}
				return "```console\n" + typeBlock(t, root, m[3], strings.NewReplacer(server.URL, "http://127.0.0.1:8000",
					strings.TrimPrefix(server.URL, "http://"), "127.0.0.1:8000")) + "```"
			})
			if os.Getenv(update) != "" && changed != text {
				if err := os.WriteFile(filepath.Join(root, "docs", topic+".md"), []byte(changed), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// writeBlock writes a block of a page to a file. If an earlier block has written compqa.yaml, the block is appended.
func writeBlock(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".xlsx") {
		book := excelize.NewFile()
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			for j, cell := range strings.Split(line, ",") {
				at, _ := excelize.CoordinatesToCellName(j+1, i+1)
				if err := book.SetCellStr("Sheet1", at, cell); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := book.SaveAs(name); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// typeBlock runs the commands of a block and returns the block with their output. A difference is an error, unless the page is updated.
func typeBlock(t *testing.T, root, block string, same *strings.Replacer) string {
	t.Helper()
	var now strings.Builder
	for _, one := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, want, _ := strings.Cut(one, "\n")
		got := same.Replace(typeCommand(t, root, command))
		if printed(want, got) || os.Getenv(update) == "" {
			if !printed(want, got) {
				t.Errorf("$ %s prints\n%s\nand not\n%s", command, got, want)
			}
			got = want
		}
		fmt.Fprintf(&now, "$ %s\n%s", command, got)
		if got != "" && !strings.HasSuffix(got, "\n") {
			now.WriteString("\n")
		}
	}
	return now.String()
}

// typeCommand runs a command and returns what it prints. A command with an exit code other than 0 shows it with "; echo $?" at the end.
func typeCommand(t *testing.T, root, command string) string {
	t.Helper()
	plain, asked := strings.CutSuffix(command, "; echo $?")
	words := strings.Fields(plain)
	if words[0] == "compqa" && !strings.ContainsAny(plain, `|"'>&;`) {
		code, stdout, stderr := asPrinted(words[1:]...)
		if asked {
			return stderr + stdout + fmt.Sprintln(code)
		}
		if code != exitDone {
			t.Errorf("$ %s: exit %d", command, code)
		}
		return stderr + stdout
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "compqa() { "+beCompqa+"=1 '"+self+"' \"$@\"; }; "+strings.ReplaceAll(command, "$COMPQA", root))
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("$ %s: %v\n%s", command, err, text)
	}
	return string(text)
}

// printed reports whether a command printed what a page says. A line "…" in the page stands for any number of lines.
func printed(want, got string) bool {
	parts := strings.Split("\n"+settled(want)+"\n", "\n…\n")
	rest, found := strings.CutPrefix("\n"+settled(got)+"\n", strings.TrimSuffix(parts[0], "\n"))
	for i, part := range parts[1:] {
		if !found {
			return false
		}
		part = strings.Trim(part, "\n")
		if i == len(parts)-2 { // the last part, whose words may also occur earlier
			return strings.HasSuffix(strings.TrimSpace(rest), part)
		}
		_, rest, found = strings.Cut(rest, part)
	}
	return found && strings.TrimSpace(rest) == ""
}

// obligingServer is a model that is ready, gives every answer full marks, and prefers neither answer of a pair.
func obligingServer(t *testing.T) *scriptedServer {
	t.Helper()
	return newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case isJudging(prompt):
			return 200, completion(fullMarks(), "stop")
		case strings.Contains(prompt, "Reply with this JSON object"): // the check of doctor
			return 200, completion(`{"ready": true}`, "stop")
		}
		return 200, completion("Both have their merits.", "stop")
	})
}

// printedCommand matches a command on an indented line, after a prompt, or in a sentence.
var printedCommand = regexp.MustCompile("(?m)^(?:    |\\$ )(?:[A-Z_]+=\\S+ )?compqa (.*)$|`compqa ([^`]+)`")

// TestManualCommands: every command that the manual, the README and the skill for assistants mention exists with these flags and number of
// arguments. (TestManual runs the commands of console blocks.)
func TestManualCommands(t *testing.T) {
	t.Parallel()
	placeholder := regexp.MustCompile(`\b[A-Z]\b`)
	checked := 0
	for _, topic := range append(docs.Topics(), "README", "examples/skill/SKILL") {
		text, found := docs.Source(topic)
		if !found {
			file, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), topic+".md"))
			if err != nil {
				t.Fatal(err)
			}
			text = string(file)
		}
		for _, m := range printedCommand.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
			command, _, _ := strings.Cut(m[1]+m[2], "#")
			command, _, _ = strings.Cut(command, "; echo")
			command, _, _ = strings.Cut(command, "&&")
			words := strings.Fields(quoted.ReplaceAllString(placeholder.ReplaceAllString(command, "1"), "text"))
			if len(words) == 0 || !unicode.IsLower(rune(words[0][0])) || strings.ContainsAny(command, "…|[") {
				continue // a sentence about compqa, or an abbreviated command
			}
			root := newRoot(Streams{})
			root.InitDefaultCompletionCmd(words...)
			cmd, rest, err := root.Find(words)
			if err == nil && cmd.HasParent() {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && len(words) > 1 && m[1] != "" {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if err != nil && !errors.Is(err, pflag.ErrHelp) || !cmd.HasParent() {
				t.Errorf("%s.md: compqa %s: %v", topic, command, err)
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("%d commands", checked)
	}
}

// quoted matches a quoted argument.
var quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)
