package table

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// WriteFiles writes files into a folder in parallel, and creates the folder if necessary. A file appears under its name only when it is
// complete. A file whose function is nil is deleted if it exists. CSV and Text return such functions.
func WriteFiles(dir string, files map[string]func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	return data.SideBySide(len(names), func(i int) error {
		path := filepath.Join(dir, names[i])
		write := files[names[i]]
		err := error(nil)
		if write != nil {
			err = WriteFile(path, write)
		} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", names[i], err)
		}
		return nil
	})
}

// Text returns a function that writes a text, made safe by Printable.
func Text(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, Printable(text)); return err }
}

// WriteFile writes a file completely before it replaces the old one, which readers see until then.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails harmlessly after the rename
	buffered := bufio.NewWriter(f)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteLine writes a value as a line of JSON, without characters that a terminal would act on.
func WriteLine(w io.Writer, v any) error {
	text, err := JSONText(v)
	if err == nil {
		_, err = io.WriteString(w, text+"\n")
	}
	return err
}

// JSONText returns a value as JSON, without characters that a terminal would act on.
func JSONText(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return Printable(strings.TrimSuffix(b.String(), "\n")), err
}

// Lines returns a function that writes each row as a line of JSON.
func Lines[Row any](rows []Row) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, row := range rows {
			if err := WriteLine(w, row); err != nil {
				return err
			}
		}
		return nil
	}
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
