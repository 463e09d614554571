package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakSeveralServers: a run over two servers, one of which fails, has the same record as a run over one server. doctor names each
// server. The key of a call does not depend on the server.
func TestSoakSeveralServers(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	one := wellServer(t)
	two := wellServer(t)
	single := liveConfig(t, one.URL, "")
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", single, "--out", dir, "--limit", "6"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	asked := one.asked()
	double := liveConfig(t, one.URL, "")
	replaceIn(t, double, "base_url: "+one.URL+"/v1", "base_urls: ["+one.URL+"/v1, "+two.URL+"/v1]")
	if code, _, stderr := compqa("run", "--config", double, "--out", dir, "--limit", "6"); code != exitDone || one.asked() != asked || two.asked() != 0 {
		t.Errorf("exit %d, and %d more calls: %s", code, one.asked()-asked+two.asked(), stderr)
	}
	other := t.TempDir()
	if code, _, stderr := compqa("run", "--config", double, "--out", other, "--limit", "6"); code != exitDone || two.asked() < asked/4 {
		t.Errorf("exit %d, %d calls at the second server: %s", code, two.asked(), stderr)
	}
	for _, name := range []string{"tables/leaderboard.csv", "tables/verdicts.csv"} {
		if a, b := readFile(t, dir, name), readFile(t, other, name); a != b {
			t.Errorf("%s differs", name)
		}
	}
	two.Close()
	code, stdout, _ := compqa("doctor", "--config", double, "--out", t.TempDir())
	if code != exitDone || !strings.Contains(stdout, "scripted at "+one.URL+"/v1, m: answers") || !strings.Contains(stdout, "scripted at "+two.URL+"/v1, m: no server is running") {
		t.Errorf("doctor: exit %d, %s", code, stdout)
	}
	if code, _, stderr := compqa("run", "--config", double, "--out", t.TempDir(), "--limit", "6"); code != exitDone {
		t.Errorf("with a server that is down: exit %d, %s", code, stderr)
	}
	servers := "base_urls: [" + one.URL + "/v1, " + two.URL + "/v1]"
	for want, change := range map[string][2]string{
		"has both base_url and base_urls":        {servers, "base_url: " + one.URL + "/v1, " + servers},
		"twice":                                  {servers, "base_urls: [" + one.URL + "/v1, " + one.URL + "/v1]"},
		"batch needs a provider with one server": {"scripted, model: m, ", "scripted, model: m, batch: true, "},
	} {
		cfg := liveConfig(t, one.URL, "")
		replaceIn(t, cfg, "base_url: "+one.URL+"/v1", servers)
		replaceIn(t, cfg, change[0], change[1])
		if code, _, stderr := compqa("run", "--config", cfg, "--out", t.TempDir()); code != exitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, cfg+":") {
			t.Errorf("%s: exit %d, %s", want, code, stderr)
		}
	}
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
