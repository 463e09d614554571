package data

import (
	"fmt"
	"testing"
	"time"
)

func TestFirstErrorIsTold(t *testing.T) {
	err := SideBySide(3, func(i int) error {
		if i == 1 {
			time.Sleep(20 * time.Millisecond) // call 2 has failed before
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
