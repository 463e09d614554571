package bench

import (
	"compqa/data/sharedtest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inNamespace is the environment variable that says that the test binary runs in its own user and mount namespace, where it may mount a
// disk.
const inNamespace = "COMPQA_TEST_IN_NAMESPACE"

// smallDisk mounts an empty disk of this many bytes. If this process may not mount one, the test is run again in a new namespace, if the
// system allows that. The result of the second run is then the result of this test.
func smallDisk(t *testing.T, size int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, sized(size))
	if err == nil {
		t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
		return dir
	}
	if os.Getenv(inNamespace) != "" {
		t.Fatalf("no small disk can be made here: %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, failed := cmd.CombinedOutput()
	switch {
	case cmd.ProcessState == nil || strings.Contains(string(out), "no small disk can be made here"):
		t.Skipf("SKIPPED: no small disk can be made here: %v, and in a namespace of its own: %v", err, failed)
	case failed != nil:
		t.Fatalf("in a namespace of its own: %v\n%s", failed, out)
	}
	t.Skipf("passed in a namespace of its own:\n%s", out)
	return ""
}

func resize(t *testing.T, disk string, size int) {
	t.Helper()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, sized(size)); err != nil {
		t.Fatal(err)
	}
}

func sized(size int) string { return "size=" + strconv.Itoa(size) }

// TestSoakFullDisk: a run on a disk that is too small stops with a message and leaves its record intact. With more space the same command
// continues, until the disk is full again or the run is done. At most the calls in flight are paid for twice. The disk grows in such small
// steps that it is full at every stage of the run.
func TestSoakFullDisk(t *testing.T) {
	sharedtest.Soak(t)
	const concurrency = 8
	const scenarios, grow = 4, 3
	disk := smallDisk(t, 16<<10)
	server := newPayingServer(t, time.Millisecond)
	server.well = true
	cfg := payingConfig(t, server.URL, scenarios, 1, 1, concurrency)
	undisturbed := t.TempDir()
	dir := filepath.Join(disk, "run")
	if out, err := tagged(t, "undisturbed", "run", "--config", cfg, "--out", undisturbed).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	k := &killer{T: t, server: server, dir: dir, args: []string{"run", "--config", cfg, "--out", dir}, concurrency: concurrency, settled: map[string]int{}}
	asking := 0
	for size := 16 << 10; ; size += size / grow {
		resize(t, disk, size)
		before := len(server.entries(0))
		code, said := k.life(func(string) bool { return false })
		if code == exitDone {
			break
		}
		if code != exitFailed || !saysFull(said) || size > 64<<20 {
			t.Fatalf("with %d bytes the run ends with %d\n%s", size, code, said)
		}
		if len(server.entries(0)) > before {
			asking++
		}
	}
	if k.lives < 3 || asking == 0 {
		t.Errorf("the disk was full %d times, %d of them after calls", k.lives-1, asking)
	}
	k.account()
	same(t, dir, undisturbed)

	// Reports need space, too. If there is none, the old reports stay whole.
	for free := 0; free < 16; free += 8 / grow {
		resize(t, disk, used(t, disk)+free<<12)
		if out, err := program(t, "report", dir).CombinedOutput(); err != nil && !saysFull(string(out)) || err == nil && free == 0 {
			t.Errorf("reports with %d pages free: %v\n%s", free, err, out)
		}
	}
	same(t, dir, undisturbed)
}

func saysFull(said string) bool {
	return (strings.Contains(said, "the disk is full") || strings.Contains(said, "no space left on device")) &&
		strings.Contains(said, "free some space, then run the same command again")
}

// used returns the number of bytes in use on a disk.
func used(t *testing.T, disk string) int {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(disk, &s); err != nil {
		t.Fatal(err)
	}
	return int(int64(s.Blocks-s.Bfree) * s.Bsize)
}
