package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"compqa/bench/cli"
	"compqa/data/sharedtest"
)

// onTerminal returns what a command prints on a terminal of this width.
func onTerminal(t *testing.T, width uint16, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		sharedtest.Missing(t, "no pseudo-terminals: %v", err)
	}
	defer master.Close()
	control := func(request uintptr, value unsafe.Pointer) {
		if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(value)); err != 0 {
			t.Fatal(err)
		}
	}
	var locked, number int32
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{40, width}))
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		printed <- string(text)
	}()
	code := Main(context.Background(), args, cli.Streams{Out: terminal, Err: io.Discard})
	terminal.Close()
	text := strings.ReplaceAll(<-printed, "\r", "")
	if code != 0 {
		t.Fatalf("%v: exit %d\n%s", args, code, text)
	}
	return text
}

// TestSoakTerminal: the output of a run fits on terminals of 60 to 160 columns, in 24 lines and without broken words. So does that of a
// report, which has more lines. Ranks are bold unless NO_COLOR is set.
func TestSoakTerminal(t *testing.T) {
	sharedtest.Soak(t)
	dir := filepath.Join(t.TempDir(), "run")
	again := []string{"run", "--config", "../compqa.yaml", "--limit", "2", "--out", dir}
	if code := Main(context.Background(), again, cli.Streams{Out: io.Discard, Err: io.Discard}); code != 0 {
		t.Fatal("exit ", code)
	}
	codes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	words := func(text string) string { return strings.Join(strings.Fields(codes.ReplaceAllString(text, "")), " ") }
	report := []string{"report", dir}
	var judges string
	for _, width := range []uint16{40, 60, 80, 100, 160, 300} {
		t.Setenv("TERM", "xterm")
		t.Setenv("NO_COLOR", "")
		short := onTerminal(t, width, again...)
		text := onTerminal(t, width, report...)
		if lines := strings.Count(short, "\n"); lines > 24 || !strings.Contains(short, "points") {
			t.Errorf("%d lines at %d columns:\n%s\na report:\n%s", lines, width, short, text)
		}
		for _, line := range strings.Split(short+text, "\n") {
			if n := utf8.RuneCountInString(codes.ReplaceAllString(line, "")); n > min(max(int(width), 60), 160) && !strings.Contains(line, dir) {
				t.Errorf("%d columns at %d: %s", n, width, line)
			}
		}
		from := strings.Index(text, "Judges: ")
		to := strings.Index(text, "Report: ")
		if of := words(text[from:to]); judges == "" {
			judges = of
		} else if of != judges {
			t.Errorf("at %d columns %q, not %q", width, of, judges)
		}
		if !strings.Contains(text, "\x1b[1m1") {
			t.Errorf("no bold rank:\n%q", text)
		}
		t.Setenv("NO_COLOR", "1")
		if plain := onTerminal(t, width, report...); plain != codes.ReplaceAllString(text, "") {
			t.Errorf("NO_COLOR changes more than colours:\n%s", plain)
		}
	}
}

// TestHelpOnTerminal: on a terminal of 100 columns, no line of a help is longer, unless it has a word or a command that stays whole.
func TestHelpOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, command := range []string{"agree", "annotate change", "validate", "datasheet"} {
		text := onTerminal(t, 100, append(strings.Fields(command), "--help")...)
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 100 && !strings.Contains(line, "  compqa ") {
				t.Errorf("%s --help: %s", command, line)
			}
		}
		if !strings.Contains(text, "\nFlags:\n") || !strings.Contains(text, "\nUsage:\n  compqa "+command) {
			t.Errorf("%s --help is not complete:\n%s", command, text)
		}
	}
}
