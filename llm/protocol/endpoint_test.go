package protocol

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"compqa/llm"
)

// TestTooFewDescriptors: the error names too few file descriptors as the cause, and no request counts as sent.
func TestTooFewDescriptors(t *testing.T) {
	w, err := NewEndpoint(llm.Provider{Type: llm.TypeOpenAI}.WithDefaults(), "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	fault := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	e := w.TransportError(t.Context(), t.Context(), fault)
	if !strings.Contains(e.Message, "too few file descriptors") || !strings.Contains(e.Message, "ulimit -n") || !e.Unbilled || !e.Retriable {
		t.Errorf("%+v", e)
	}
}
