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

// A Screen is the standard output or standard error of a command. Text of others in what is written to it is made harmless
// by table.Printable. On a terminal it can keep lines of state at the bottom, below everything that is written.
type Screen struct {
	out      io.Writer
	terminal *os.File // nil: none

	mu    sync.Mutex
	rest  []byte   // the beginning of a character
	state []string // nil: none
}

// NewScreen returns a screen on out. Progress is drawn in place only if out is a terminal.
func NewScreen(out io.Writer) *Screen {
	s := &Screen{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.terminal = f
	}
	return s
}

// Terminal returns the terminal behind a Screen, nil if there is none.
func (s *Screen) Terminal() *os.File { return s.terminal }

// WriteStyled writes a text that is harmless already, with colours.
func (s *Screen) WriteStyled(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.print(text, s.state)
}

// Raw returns the writer behind a Screen, for binary output.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Screen); ok {
		return s.out
	}
	return w
}

// Write holds back an incomplete character at the end until the rest arrives.
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

// Draw replaces the state. The lines of a state that is replaced by nil stay.
func (s *Screen) Draw(state []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == nil {
		s.state = nil
	}
	s.print("", state)
}

// print prints a harmless text and draws the state again below it.
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
