package shell

import "testing"

// TestDeviceNames: file names that Windows reserves for devices get a hash.
func TestDeviceNames(t *testing.T) {
	for _, name := range []string{"con", "nul", "lpt1"} {
		if got := FileOf("/s/" + name); got == "s/"+name+".html" {
			t.Errorf("the page of %s is %s", name, got)
		}
	}
	if got := FileOf("/s/console"); got != "s/console.html" {
		t.Errorf("console: %s", got)
	}
}
