// Wheel packs the program and the Python package of this folder into a wheel, for `make dist`.
//
//	go run ./python VERSION GOOS/GOARCH PROGRAM FOLDER
//
// `--zip FOLDER FILE` packs a folder into a zip archive, for Windows.
//
// The same files give the same wheel: times are fixed, and entries are sorted.
package main

import (
	"archive/zip"
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed compqa/*.py compqa/py.typed
var sources embed.FS

// platforms maps Go's platforms to the platform tags of wheels. Go programs for Linux need no library; those for macOS need macOS 12.
var platforms = map[string]string{
	"linux/amd64": "manylinux_2_17_x86_64", "linux/arm64": "manylinux_2_17_aarch64",
	"darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64",
	"windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
}

// version matches the version numbers of PEP 440: releases, pre-releases, development releases, and a commit.
var version = regexp.MustCompile(`^\d+(\.\d+)*((a|b|rc)\d+)?(\.dev\d+)?(\+[a-z0-9.]+)?$`)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// run packs a wheel, or with --zip a folder. It returns an error for a version or platform that wheels do not know.
func run(args []string) error {
	if len(args) == 3 && args[0] == "--zip" {
		return zipFolder(args[1], args[2])
	}
	if len(args) != 4 {
		return errors.New("usage: go run ./python VERSION GOOS/GOARCH PROGRAM FOLDER")
	}
	tag := platforms[args[1]]
	switch {
	case !version.MatchString(args[0]):
		return fmt.Errorf("%q is no version that Python knows (PEP 440)", args[0])
	case tag == "":
		return fmt.Errorf("there is no wheel for %s; there are %s", args[1], strings.Join(slices.Sorted(maps.Keys(platforms)), ", "))
	}
	program, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	files, err := contents(args[0], tag, program)
	if err != nil {
		return err
	}
	name := filepath.Join(args[3], fmt.Sprintf("compqa-%s-py3-none-%s.whl", args[0], tag))
	return create(name, func(w io.Writer) error { return write(w, args[0], files) })
}

// create writes a file and prints its name.
func create(name string, write func(io.Writer) error) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	fmt.Println(name)
	return nil
}

// zipFolder packs a folder, including its name, into a zip archive.
func zipFolder(folder, name string) error {
	return create(name, func(w io.Writer) error {
		z := zip.NewWriter(w)
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(filepath.Dir(folder), path)
			if err != nil {
				return err
			}
			return add(z, filepath.ToSlash(inside), content)
		})
		return errors.Join(err, z.Close())
	})
}

// contents returns the files of a wheel by name, except RECORD. pip puts files of the folder scripts on the PATH.
func contents(version, tag string, program []byte) (map[string][]byte, error) {
	info := "compqa-" + version + ".dist-info/"
	script := "compqa-" + version + ".data/scripts/compqa"
	if strings.HasPrefix(tag, "win") {
		script += ".exe"
	}
	files := map[string][]byte{
		script:         program,
		info + "WHEEL": fmt.Appendf(nil, "Wheel-Version: 1.0\nGenerator: compqa\nRoot-Is-Purelib: false\nTag: py3-none-%s\n", tag),
		info + "METADATA": fmt.Appendf(nil, "Metadata-Version: 2.1\nName: compqa\nVersion: %s\n"+
			"Summary: Benchmark for comparative question answering and its judges\nRequires-Python: >=3.9\n"+
			"Description-Content-Type: text/markdown\n\n%s", version, description),
	}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = sources.ReadFile(name)
		return err
	})
	return files, err
}

const description = `compqa measures how well language models answer comparative questions ("A or B, which is better?"), and
how far an LLM judge can stand in for people.

    compqa validate --demo           # an example of judge and people, and what to look at
    compqa init && compqa run        # a benchmark without any model
    python -c "import compqa; print(compqa.validate('judge.csv', 'people.csv'))"

The wheel holds the program, which needs nothing else, and a small Python package (help(compqa)).
`

// write writes a wheel as a zip archive, including RECORD, the list of its files with their hashes.
func write(to io.Writer, version string, files map[string][]byte) error {
	z := zip.NewWriter(to)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	record := "compqa-" + version + ".dist-info/RECORD"
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		fmt.Fprintf(&list, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[name]))
		if err := add(z, name, files[name]); err != nil {
			return err
		}
	}
	fmt.Fprintf(&list, "%s,,\n", record)
	if err := add(z, record, []byte(list.String())); err != nil {
		return err
	}
	return z.Close()
}

func add(z *zip.Writer, name string, content []byte) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	h.SetMode(0o644)
	if path.Base(path.Dir(name)) == "scripts" {
		h.SetMode(0o755)
	}
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}
