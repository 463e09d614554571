package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// unreachable matches the output of go install if nfpm, or a module that nfpm needs, cannot be downloaded.
var unreachable = regexp.MustCompile(`(?m)^(go: |\s).*(dial tcp|no such host|connection refused|i/o timeout|403 Forbidden|404 Not Found)`)

// made runs make dist in a copy of the sources and returns the files by name. If the modules of nfpm cannot be downloaded, the test is
// skipped, also in CI.
func made(t *testing.T, dir string, args ...string) map[string][]byte {
	t.Helper()
	root := sharedtest.ModuleRoot(t)
	script := fmt.Sprintf("mkdir -p %[2]q && cd %[1]q && git ls-files -zco --exclude-standard | xargs -0 cp --parents -t %[2]q && "+
		`make -C %[2]q dist VERSION=1.2.3 URL=https://example.org/x "$@"`, root, dir)
	if out, err := exec.Command("bash", append([]string{"-c", script, "bash"}, args...)...).CombinedOutput(); err != nil {
		if unreachable.Match(out) {
			t.Skipf("SKIPPED: nfpm, which makes .deb and .rpm, cannot be fetched\n%s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	files := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(dir, "dist", "*"))
	for _, name := range names {
		var content []byte
		if err == nil {
			content, err = os.ReadFile(name)
		}
		files[filepath.Base(name)] = content
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// TestSoakDist: make dist gives the same bytes in folders with other names, and all its files can be opened. Only this machine's packages
// contain compqa, which then runs from the archive and the .deb (TestSoakInstalled runs the wheel). The others contain a small program,
// because compiling compqa for them takes six minutes of processor time. COMPQA_DIST=all packs compqa everywhere.
func TestSoakDist(t *testing.T) {
	sharedtest.Soak(t)
	args := []string{"FOREIGN=./python"}
	if os.Getenv("COMPQA_DIST") == "all" {
		args = nil
	}
	dir := t.TempDir()
	first := made(t, filepath.Join(dir, "a"), args...)
	second := made(t, filepath.Join(dir, "another/folder"), args...)
	for _, file := range slices.Sorted(maps.Keys(first)) {
		if !bytes.Equal(first[file], second[file]) {
			t.Errorf("%s differs between two folders", file)
		}
	}
	for _, platform := range slices.Sorted(maps.Keys(platforms)) {
		opened(t, first, platform)
	}
	// An archive and a wheel for each platform, .deb and .rpm for two, formula, manifest and checksums.
	if want := 2*len(platforms) + 2*2 + 3; len(first) != want || len(second) != want {
		t.Errorf("%d and %d files, want %d: %v", len(first), len(second), want, slices.Sorted(maps.Keys(first)))
	}
	summed(t, first)
	runs(t, filepath.Join(dir, "a", "dist"))
}

// opened opens the archive, wheel, .deb and .rpm of a platform, and checks that each has one program for this platform.
func opened(t *testing.T, files map[string][]byte, platform string) {
	t.Helper()
	system, arch, _ := strings.Cut(platform, "/")
	folder := "compqa_" + system + "_" + arch
	archive := unzipped
	program := "compqa.exe"
	file := folder + ".zip"
	if system != "windows" {
		archive = untarred
		program = "compqa"
		file = folder + ".tar.gz"
	}
	inside, err := archive(files[file])
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	for _, name := range []string{program, "README.md", "CHANGELOG.md", "docs/tutorial.md", "examples/notebook.ipynb", "man/compqa-run.1"} {
		if len(inside[folder+"/"+name]) == 0 {
			t.Errorf("%s has no %s", file, name)
		}
	}
	built := inside[folder+"/"+program]
	if err := isFor(system, arch, built); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	wheel := "compqa-1.2.3-py3-none-" + platforms[platform] + ".whl"
	inside = checkWheel(t, files[wheel], platforms[platform])
	about := string(inside["compqa-1.2.3.dist-info/METADATA"])
	if !bytes.Equal(inside["compqa-1.2.3.data/scripts/"+program], built) || !strings.Contains(about, "\nName: compqa\nVersion: 1.2.3\n") {
		t.Errorf("%s has another program, or another version", wheel)
	}
	if system == "linux" {
		packaged(t, files, arch, built)
	}
}

// untarred returns the files of a tar.gz archive by name. Owners and times must be 0, and the program must be executable.
func untarred(content []byte) (map[string][]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(unpacked); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		var text []byte
		if err == nil {
			text, err = io.ReadAll(r)
		}
		if err != nil {
			return nil, err
		}
		if header.Uid != 0 || header.ModTime.Unix() != 0 || filepath.Base(header.Name) == "compqa" && header.FileInfo().Mode().Perm() != 0o755 {
			return nil, fmt.Errorf("%s has owner %d, time %v, mode %v", header.Name, header.Uid, header.ModTime, header.FileInfo().Mode())
		}
		files[header.Name] = text
	}
}

func unzipped(content []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			files[f.Name], err = io.ReadAll(r)
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// isFor returns an error if a program is not for a platform.
func isFor(system, arch string, program []byte) error {
	r := bytes.NewReader(program)
	found := ""
	switch system {
	case "linux":
		f, err := elf.NewFile(r)
		if err != nil {
			return err
		}
		if libraries, err := f.ImportedLibraries(); err != nil || libraries != nil {
			return fmt.Errorf("the program needs %v: %v", libraries, err)
		}
		found = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	case "darwin":
		f, err := macho.NewFile(r)
		if err != nil {
			return err
		}
		found = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
	case "windows":
		f, err := pe.NewFile(r)
		if err != nil {
			return err
		}
		found = map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]
	}
	if found != arch {
		return fmt.Errorf("the program is for %q and not for %s", found, arch)
	}
	return nil
}

// packaged checks the .deb and .rpm of an architecture. Debian's base system cannot unpack an .rpm, so only the file names in its header
// are checked.
func packaged(t *testing.T, files map[string][]byte, arch string, program []byte) {
	t.Helper()
	name := "compqa_1.2.3_" + arch + ".deb"
	deb := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(deb, files[name], 0o644); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`dpkg-deb -f %[1]q Package Version Architecture && dpkg-deb --fsys-tarfile %[1]q | tar -t && `+
		`dpkg-deb --fsys-tarfile %[1]q | tar -xO ./usr/bin/compqa | sha256sum`, deb)
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Logf("SKIPPED: no dpkg-deb opens %s", name)
	} else if out, err := exec.Command("bash", "-o", "pipefail", "-c", script).CombinedOutput(); err != nil ||
		!strings.HasPrefix(string(out), "Package: compqa\nVersion: 1.2.3\nArchitecture: "+arch+"\n") ||
		!strings.Contains(string(out), "/usr/share/man/man1/compqa-run.1") ||
		!strings.Contains(string(out), fmt.Sprintf("%x", sha256.Sum256(program))) {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
	rpm := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	name = "compqa-1.2.3-1." + rpm + ".rpm"
	if !bytes.HasPrefix(files[name], []byte("\xed\xab\xee\xdb")) {
		t.Errorf("%s is no .rpm", name)
	}
	for _, want := range []string{"compqa\x001.2.3\x001\x00", "\x00" + rpm + "\x00", "\x00compqa\x00", "\x00compqa-run.1\x00",
		"\x00/usr/bin/\x00"} {
		if !bytes.Contains(files[name], []byte(want)) {
			t.Errorf("%s has no %q in its header", name, want)
		}
	}
}

// summed checks the checksums in SHA256SUMS, the Homebrew formula and the Scoop manifest against the files.
func summed(t *testing.T, files map[string][]byte) {
	t.Helper()
	sums := map[string]string{}
	for name, content := range files {
		if strings.HasPrefix(name, "compqa_") || strings.HasPrefix(name, "compqa-") {
			sums[name] = fmt.Sprintf("%x", sha256.Sum256(content))
		}
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(files["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	if !maps.Equal(sums, listed) {
		t.Errorf("SHA256SUMS is\n%s\nand the files have %v", files["SHA256SUMS"], sums)
	}
	address := regexp.MustCompile(`"https://example\.org/x/(\S+)",?\s+"?(?:sha256|hash)"?:? "([^"]*)"`)
	for name, archives := range map[string]int{"compqa.rb": 4, "compqa.json": 2} {
		found := address.FindAllStringSubmatch(string(files[name]), -1)
		for _, m := range found {
			if sums[m[1]] != m[2] {
				t.Errorf("%s has for %s the sum %s, want %s", name, m[1], m[2], sums[m[1]])
			}
		}
		if len(found) != archives || strings.Contains(string(files[name]), "@") || !strings.Contains(string(files[name]), `"1.2.3"`) {
			t.Errorf("%s names %d archives, want %d:\n%s", name, len(found), archives, files[name])
		}
	}
	if !json.Valid(files["compqa.json"]) {
		t.Errorf("compqa.json:\n%s", files["compqa.json"])
	}
}

// runs runs the program from the archive, as the README describes, and from the .deb.
func runs(t *testing.T, dist string) {
	t.Helper()
	name := "compqa_" + runtime.GOOS + "_" + runtime.GOARCH
	script := fmt.Sprintf(`set -e; cd %q; tar -xzf %s/%s.tar.gz; cd %[3]s; ./compqa --version; ./compqa init; ./compqa run --limit 1 2>&1
		if command -v dpkg-deb >/dev/null; then dpkg-deb -x %[2]s/compqa_1.2.3_%[4]s.deb deb; deb/usr/bin/compqa --version; fi`,
		t.TempDir(), dist, name, runtime.GOARCH)
	out, err := exec.Command("bash", "-c", script).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "compqa ") || !strings.Contains(string(out), "Report: ") {
		t.Errorf("%v\n%s", err, out)
	}
}
