package bench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/results/archive"
	"compqa/results/store"
)

// unpacked returns the files of an export by name.
func unpacked(t *testing.T, file string) map[string][]byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// packed writes an export of files. If fitting is true, its manifest lists the files as they are.
func packed(t *testing.T, files map[string][]byte, fitting bool) string {
	t.Helper()
	if fitting {
		var m archive.Manifest
		if err := json.Unmarshal(files["compqa-run/manifest.json"], &m); err != nil {
			t.Fatal(err)
		}
		m.Files = nil
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if short := strings.TrimPrefix(name, "compqa-run/"); short != "manifest.json" {
				m.Files = append(m.Files, manifestFile(short, files[name]))
			}
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		files["compqa-run/manifest.json"] = text
	}
	path := filepath.Join(t.TempDir(), "changed.gz")
	if err := os.WriteFile(path, archived(t, files), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func manifestFile(name string, content []byte) archive.ManifestFile {
	sum := sha256.Sum256(content)
	return archive.ManifestFile{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// archived returns a tar archive of files: those in the manifest in its order, and then the others. A file
// with the content "link to TARGET" becomes a symbolic link.
func archived(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var m archive.Manifest
	json.Unmarshal(files["compqa-run/manifest.json"], &m) // if the file is a manifest
	names := []string{"compqa-run/manifest.json"}
	for _, f := range m.Files {
		if _, ok := files["compqa-run/"+f.Name]; ok {
			names = append(names, "compqa-run/"+f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(zip)
	for _, name := range names {
		header := &tar.Header{Name: name, Size: int64(len(files[name])), Mode: 0o644}
		if target, link := strings.CutPrefix(string(files[name]), "link to "); link {
			header = &tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
			files[name] = nil
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// changed changes a record with a query and deletes its checksums.
func changed(t *testing.T, dir, query string) {
	t.Helper()
	tampered(t, dir, `DELETE FROM sums; `+query)
}

// tampered changes a record with a query. It fails if nothing changed.
func tampered(t *testing.T, dir, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, store.RecordName))
	if err != nil {
		t.Fatal(err)
	}
	done, err := db.Exec(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if n, _ := done.RowsAffected(); n == 0 {
		t.Fatalf("nothing changed by %s", query)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// changeRecord changes the record within the files of an export.
func changeRecord(t *testing.T, files map[string][]byte, query string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, store.RecordName)
	err := os.WriteFile(path, files["compqa-run/run.db"], 0o644)
	if err == nil {
		changed(t, dir, query)
		files["compqa-run/run.db"], err = os.ReadFile(path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unpackedTo unpacks an export into a folder and returns the folder.
func unpackedTo(t *testing.T, file string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range unpacked(t, file) {
		path := filepath.Join(folder, strings.TrimPrefix(name, "compqa-run/"))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// exportedAgain changes a record with a query and exports it again. Tables and hashes of the new export fit the changed record.
func exportedAgain(t *testing.T, file, query string) string {
	t.Helper()
	dir := unpackedTo(t, file)
	changed(t, dir, query)
	again := filepath.Join(t.TempDir(), "again.gz")
	if code, _, stderr := compqa("export", dir, "--out", again); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	return again
}

func fileContent(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
