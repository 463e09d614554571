package bench

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDoctorOnFullDisk fills a small disk, where the system lets the test mount one.
func TestDoctorOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("SKIPPED: no small disk can be made here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	url := sickServer(t, replying(200, `{"data": [{"id": "good-model"}]}`), replying(200, completion(`{"ready": true}`, "stop")))
	code, stdout, stderr := compqa("doctor", "--config", doctorConfig(t, "openai", url, ""), "--out", filepath.Join(dir, "run"))
	if code != exitFailed || !strings.Contains(stdout, "the disk is full") || !strings.Contains(stderr, "cannot be recorded") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
