package sheets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// footerFits returns an error if the footer of a Parquet file claims that a list or a string in it is longer than the footer itself. The
// library would allocate the claimed length before it reads. The footer is a struct in Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
func footerFits(r io.ReaderAt, size int64) error {
	const end = 8 // bytes after the footer: its length (4 bytes) and PAR1
	if size < 4+end {
		return errors.New("it is too short")
	}
	tail := make([]byte, end)
	if _, err := r.ReadAt(tail, size-end); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > size-end-4 || length > mostFooter {
		return fmt.Errorf("its description would have %d bytes", length)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-end-length); err != nil {
		return err
	}
	t := thriftReader{left: footer}
	t.structure(0)
	return t.err
}

const (
	mostFooter = 64 << 20
	mostNested = 64
)

// The types of the compact protocol. For a boolean field, the type itself is the value.
const (
	thriftTrue, thriftFalse, thriftByte = 1, 2, 3
	thriftInt16, thriftInt64            = 4, 6
	thriftDouble, thriftBinary          = 7, 8
	thriftList, thriftSet, thriftMap    = 9, 10, 11
	thriftStruct                        = 12
)

// A thriftReader skips over values, and keeps the first error.
type thriftReader struct {
	left []byte
	err  error
}

func (t *thriftReader) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// skip skips n bytes. It is an error if fewer are left.
func (t *thriftReader) skip(n uint64) {
	if n > uint64(len(t.left)) {
		t.fail("a text or a list of %d bytes is said to be in it, and %d are left", n, len(t.left))
		t.left = nil
		return
	}
	t.left = t.left[n:]
}

func (t *thriftReader) byte() (b byte) {
	if len(t.left) > 0 {
		b = t.left[0]
	}
	t.skip(1)
	return b
}

func (t *thriftReader) number() uint64 {
	x, n := binary.Uvarint(t.left)
	if n <= 0 {
		t.fail("a number in it is not complete")
		return 0
	}
	t.skip(uint64(n))
	return x
}

// structure skips the fields of a struct.
func (t *thriftReader) structure(level int) {
	for t.err == nil {
		field := t.byte()
		if field == 0 {
			return
		}
		if field>>4 == 0 {
			t.number() // the field's id
		}
		kind := field & 15
		if kind != thriftTrue && kind != thriftFalse {
			t.value(kind, level+1)
		}
	}
}

// value skips a value of a type.
func (t *thriftReader) value(kind byte, level int) {
	if level > mostNested {
		t.fail("its description is nested in more than %d levels", mostNested)
		return
	}
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte:
		t.skip(1)
	case kind >= thriftInt16 && kind <= thriftInt64:
		t.number()
	case kind == thriftDouble:
		t.skip(8)
	case kind == thriftBinary:
		t.skip(t.number())
	case kind == thriftList || kind == thriftSet:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.number()
		}
		t.items(n, level, head&15)
	case kind == thriftMap:
		n := t.number()
		if n > 0 {
			kinds := t.byte()
			t.items(n, level, kinds>>4, kinds&15)
		}
	case kind == thriftStruct:
		t.structure(level)
	default:
		t.fail("its description has a value of the type %d", kind)
	}
}

// items skips the items of a list, or the keys and values of a map. Each item takes at least one byte.
func (t *thriftReader) items(n uint64, level int, kinds ...byte) {
	if n > uint64(len(t.left)) {
		t.fail("a list of %d items is said to be in it, and %d bytes are left", n, len(t.left))
	}
	for i := uint64(0); i < n && t.err == nil; i++ {
		for _, kind := range kinds {
			t.value(kind, level+1)
		}
	}
}
