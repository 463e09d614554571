package sheets

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// withFooter returns a Parquet file that consists only of a footer.
func withFooter(footer []byte) []byte {
	file := append([]byte("PAR1"), footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// TestFooterFits checks that a footer which claims more content than it has is refused before the library allocates memory for it.
func TestFooterFits(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<31-1)
	for name, test := range map[string]struct {
		footer []byte
		want   string
	}{
		"a list of structs": {append([]byte{0x15, 2, 0x19, 0xfc}, huge...), "a list of 2147483647 items"},
		"a map":             {append(append([]byte{0x1b}, huge...), 0x55), "a list of 2147483647 items"},
		"a text":            {append([]byte{0x18}, huge...), "of 2147483647 bytes"},
		"levels":            {bytes.Repeat([]byte{0x1c}, 1000), "nested in more than 64 levels"},
		"an unknown type":   {[]byte{0x1e}, "a value of the type 14"},
		"without its end":   {[]byte{0x15}, "a number in it is not complete"},
		"empty":             {[]byte{0}, ""},
		"a list of numbers": {[]byte{0x19, 0x35, 2, 4, 6, 0}, ""},
	} {
		file := withFooter(test.footer)
		err := footerFits(bytes.NewReader(file), int64(len(file)))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// FuzzParquet checks that no file makes the reader panic.
func FuzzParquet(f *testing.F) {
	f.Add(withFooter(binary.AppendUvarint([]byte{0x15, 2, 0x19, 0xfc}, 1<<31-1)))
	f.Add(withFooter([]byte{0x15, 2, 0x19, 0x0c, 0x16, 0, 0x19, 0x0c, 0}))
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, file []byte) {
		rows := 0
		for _, err := range Parquet(bytes.NewReader(file), int64(len(file)), 1<<20) {
			rows++
			if err != nil || rows > 1000 {
				return
			}
		}
	})
}
