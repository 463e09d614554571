package bench

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakImage builds the container image and runs it without a network.
func TestSoakImage(t *testing.T) {
	sharedtest.Soak(t)
	program, err := exec.LookPath("buildah")
	if err != nil {
		if program, err = exec.LookPath("podman"); err != nil {
			t.Skip("NOT TESTED: neither buildah nor podman is installed")
		}
	}
	root := sharedtest.ModuleRoot(t)
	shell := func(script string) (string, error) {
		cmd := exec.Command("bash", "-c", "set -e; "+script)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "PROGRAM="+program, "STORAGE_DRIVER=vfs", "BUILDAH_ISOLATION=chroot")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := shell(`make image BUILD_IMAGE="$PROGRAM"`); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := `"$PROGRAM" run --rm --network none compqa --version`
	if strings.HasSuffix(program, "buildah") {
		run = `c=$("$PROGRAM" from compqa); "$PROGRAM" run "$c" -- /usr/bin/compqa init
"$PROGRAM" run "$c" -- /usr/bin/compqa run --limit 1; "$PROGRAM" rm "$c" > /dev/null`
	}
	out, err := shell(run)
	if strings.Contains(out, "operation not permitted") || strings.Contains(out, "permission denied") {
		t.Skipf("NOT TESTED: this machine does not let %s run an image: %s", program, out)
	}
	if err != nil || !strings.Contains(out, "compqa") && !strings.Contains(out, "Full report") {
		t.Errorf("%v\n%s", err, out)
	}
}
