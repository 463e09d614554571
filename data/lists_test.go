package data

import (
	"fmt"
	"runtime"
	"testing"
)

func TestFirstErrorIsTold(t *testing.T) {
	failed := make(chan struct{}) // closed by call 2
	err := SideBySide(3, func(i int) error {
		switch {
		case i == 2:
			defer close(failed)
		case i == 1 && runtime.GOMAXPROCS(0) > 1: // with one processor, call 2 runs later
			<-failed
		}
		if i > 0 {
			return fmt.Errorf("call %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "call 1" {
		t.Errorf("the error is %v, want that of call 1", err)
	}
}
