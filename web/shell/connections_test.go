package shell

import "testing"

// TestConnections: connections leave half of the file descriptors to the process.
func TestConnections(t *testing.T) {
	for descriptors, want := range map[int64]int{0: mostConnections, 20: 16, 256: 128, 1024: 512, 1 << 20: mostConnections} {
		if got := connections(descriptors); got != want {
			t.Errorf("%d descriptors: %d connections, want %d", descriptors, got, want)
		}
	}
}
