package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"compqa/results/table"
)

// A Screen is the standard output or standard error of a command. It passes all written text through table.Printable, because text from
// other people could contain control sequences. On a terminal it can keep status lines at the bottom, below everything that is written.
type Screen struct {
	out      io.Writer
	terminal *os.File // nil if out is not a terminal

	mu    sync.Mutex
	rest  []byte   // the first bytes of an incomplete UTF-8 character
	state []string // the status lines at the bottom; nil if there are none
}

// NewScreen returns a screen that writes to out. Its Terminal is nil unless out is a terminal.
func NewScreen(out io.Writer) *Screen {
	s := &Screen{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.terminal = f
	}
	return s
}

// Terminal returns the terminal that the screen writes to, or nil if it writes elsewhere.
func (s *Screen) Terminal() *os.File { return s.terminal }

// WriteStyled writes text with colour codes. The text must be safe to print, because it does not pass through table.Printable.
func (s *Screen) WriteStyled(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.print(text, s.state)
}

// Raw returns the writer behind a Screen, for binary output. Any other writer is returned as it is.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Screen); ok {
		return s.out
	}
	return w
}

// Write writes p as safe text above the status lines. It keeps back an incomplete UTF-8 character at the end until the next Write.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.rest, p...)
	whole := len(text)
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			whole = i
			break
		}
	}
	s.rest = bytes.Clone(text[whole:])
	return len(p), s.print(table.Printable(string(text[:whole])), s.state)
}

// Draw replaces the status lines. With nil, the present lines stay on the terminal as ordinary output.
func (s *Screen) Draw(state []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == nil {
		s.state = nil
	}
	s.print("", state)
}

// print clears the present status lines, prints text, which must be safe, and draws the new status lines below it.
func (s *Screen) print(text string, state []string) error {
	var b strings.Builder
	if len(s.state) > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA\x1b[J", len(s.state)) // up to the first line, and clear what follows
	}
	b.WriteString(text)
	if len(state) > 0 {
		width, _, err := term.GetSize(int(s.terminal.Fd()))
		if err != nil || width < 20 {
			width = 80
		}
		for _, line := range state {
			b.WriteString(runewidth.Truncate(table.Printable(line), width-1, "…") + "\n")
		}
	}
	s.state = state
	_, err := io.WriteString(s.out, b.String())
	return err
}
