package archive

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"compqa/results/store"
)

// tarOf returns a tar with the given headers and contents. A content may be shorter than its header says, or missing.
func tarOf(f testing.TB, headers []tar.Header, contents ...string) []byte {
	f.Helper()
	var b bytes.Buffer
	for i := range headers {
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&headers[i]); err != nil {
			f.Fatal(err)
		}
		if i < len(contents) {
			b.WriteString(contents[i] + strings.Repeat("\x00", (512-len(contents[i])%512)%512))
		}
	}
	b.Write(make([]byte, 1024)) // the end
	return b.Bytes()
}

// FuzzUnpack unpacks any bytes as an export; if packed, it compresses the bytes by gzip first. unpack must write only regular files, only
// inside its folder and at most up to the limit. No error may have an empty text.
func FuzzUnpack(f *testing.F) {
	const manifest = `{"format":3,"program":"p","revision":"r","replies":true,"bodies":false,` +
		`"files":[{"name":"run.db","size":1,"sha256":""}]}`
	first := tar.Header{Name: exportFolder + manifestName, Size: int64(len(manifest)), Mode: 0o644, Typeflag: tar.TypeReg}
	with := func(h tar.Header, content string) []byte {
		if h.Size == 0 {
			h.Size = int64(len(content))
		}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		return tarOf(f, []tar.Header{first, h}, manifest, content)
	}
	named := func(name string) []byte { return with(tar.Header{Name: name}, "x") }
	var many, twice []tar.Header
	for i := range mostFiles + 10 {
		many = append(many, tar.Header{Name: fmt.Sprintf("%stables/%d.csv", exportFolder, i), Typeflag: tar.TypeReg})
		twice = append(twice, tar.Header{Name: exportFolder + configName, Typeflag: tar.TypeReg})
	}
	for _, archive := range [][]byte{
		named(exportFolder + store.RecordName), named(exportFolder + configName), named(exportFolder + "tables/a.csv"),
		named(exportFolder + "../../run.db"), named(exportFolder + "tables/../../x"), named(exportFolder + "tables/sub/x"),
		named(exportFolder + `tables\x`), named("/etc/passwd"), named("../run.db"), named(""), named(exportFolder + "validation.json"),
		named(exportFolder + "validation/" + strings.Repeat("a", 300)),
		with(tar.Header{Name: exportFolder + store.RecordName, Size: 1 << 40}, "x"),
		with(tar.Header{Name: exportFolder + store.RecordName, Size: mostAnyhow + 1}, "x"),
		with(tar.Header{Name: exportFolder + store.RecordName, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""),
		with(tar.Header{Name: exportFolder + store.RecordName, PAXRecords: map[string]string{"comment": strings.Repeat("a", 10_000)}}, "x"),
		tarOf(f, append([]tar.Header{first}, many...), manifest), tarOf(f, append([]tar.Header{first}, twice...), manifest),
		tarOf(f, []tar.Header{{Name: exportFolder + manifestName, Size: mostManifest + 1, Typeflag: tar.TypeReg}}),
		tarOf(f, []tar.Header{{Name: exportFolder + manifestName, Size: 14, Typeflag: tar.TypeReg}}, `{"format":1e9}`),
		tarOf(f, []tar.Header{{Name: exportFolder + manifestName, Size: 2, Typeflag: tar.TypeReg}}, `{}`), {}, make([]byte, 2048),
	} {
		f.Add(archive, true)
	}
	f.Add([]byte("\x1f\x8b\x08"), false)
	f.Add([]byte("SQLite format 3\x00"), false)
	f.Fuzz(func(t *testing.T, content []byte, packed bool) {
		outside := t.TempDir()
		dir := filepath.Join(outside, "in")
		file := filepath.Join(t.TempDir(), "x.gz")
		if packed {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(content)
			w.Close()
			content = b.Bytes()
		}
		err := os.WriteFile(file, content, 0o600)
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		u, err := unpack(t.Context(), file, dir)
		if err != nil && err.Error() == "" || err == nil && u.fault != nil && u.fault.Error() == "" {
			t.Error("an error without a text")
		}
		size := int64(0)
		err = filepath.WalkDir(outside, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			size += info.Size()
			if in, _ := filepath.Rel(dir, path); !filepath.IsLocal(in) || !info.Mode().IsRegular() {
				t.Errorf("%s was written", path)
			}
			return nil
		})
		if err != nil || size > mostUnpacked(int64(len(content))) {
			t.Errorf("%d bytes of %d were written, %v", size, len(content), err)
		}
	})
}
