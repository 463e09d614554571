package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"compqa/data"
	"compqa/results/table"
)

// A Temporary is a folder in which a command makes files, with a lock next to it. A killed command no longer has the lock, and the next
// one that makes such a folder in the same place removes what it left.
type Temporary struct {
	Dir  string
	lock *FileLock
}

// lockSuffix is that of the lock next to a temporary folder.
const lockSuffix = ".lock"

// NewTemporary makes a folder whose name begins with a prefix. The caller closes it.
func NewTemporary(parent, prefix string) (*Temporary, error) {
	removeLeft(parent, prefix)
	for {
		f, err := os.CreateTemp(parent, prefix+"*"+lockSuffix)
		if err != nil {
			return nil, err
		}
		f.Close()
		lock, _, err := LockFile(f.Name())
		if err != nil {
			return nil, err
		}
		if lock == nil { // another command took it for one that was left
			continue
		}
		t := &Temporary{strings.TrimSuffix(f.Name(), lockSuffix), lock}
		if err := os.Mkdir(t.Dir, 0o700); err != nil {
			t.Close()
			return nil, err
		}
		return t, nil
	}
}

// removeLeft removes the temporary folders that killed commands left.
func removeLeft(parent, prefix string) {
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"+lockSuffix))
	for _, path := range left {
		lock, _, err := LockFile(path)
		if err == nil && lock != nil && locksExist { // else it is another user's, or at work
			(&Temporary{strings.TrimSuffix(path, lockSuffix), lock}).Close()
		}
	}
}

// Close removes the folder.
func (t *Temporary) Close() {
	os.RemoveAll(t.Dir)
	os.Remove(t.Dir + lockSuffix)
	t.lock.Release()
}

// WriteOutput writes a file that a command was asked for, complete or not at all. A file that is not regular, as a pipe, takes what is
// written.
func WriteOutput(path string, write func(io.Writer) error) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return unwritable(filepath.Dir(path), writeBeside(path, write))
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return unwritable(path, err)
	}
	return errors.Join(write(f), f.Close())
}

// writeBeside writes a file in a temporary folder next to it, and gives it its name when it is complete.
func writeBeside(path string, write func(io.Writer) error) error {
	t, err := NewTemporary(filepath.Dir(path), beside)
	if err != nil {
		return err
	}
	defer t.Close()
	made := filepath.Join(t.Dir, filepath.Base(path))
	if err := table.WriteFile(made, write); err != nil {
		return err
	}
	return os.Rename(made, path)
}

// A Folder is a folder that a command is writing. Its files are made in New and get their names together: until then the folder
// is as it was.
type Folder struct {
	Dir, New string
	made     *Temporary // New
	lock     *FileLock  // nil: the folder is not locked
	created  []string   // folders that were created for it, the innermost first
	stale    []string
	output   Output
	done     bool
}

// writtenName is the list of the files that commands wrote into a folder, one a line: others are somebody's own, and stay.
const writtenName = ".compqa-files"

// written returns the files of a folder that its list names. Without a list, listed is false: nothing was written there, or by an earlier
// version.
func written(dir string) (names map[string]bool, listed bool) {
	text, err := os.ReadFile(filepath.Join(dir, writtenName))
	names = map[string]bool{}
	for _, name := range strings.Split(string(text), "\n") {
		names[filepath.FromSlash(name)] = true
	}
	return names, err == nil
}

// keepOwn returns an error if one of some files, below the folder, is there that no command wrote. What an earlier version wrote next to a
// record or a page of its own has no list.
func (f *Folder) keepOwn(names []string) error {
	ours, listed := written(f.Dir)
	if f.output.Continues || !listed && (f.output.Again || Holding(f.Dir).Content != ContentNothing) {
		return nil
	}
	for _, name := range names {
		path := filepath.Join(f.Dir, name)
		if _, err := os.Lstat(path); err != nil || ours[name] || strings.HasPrefix(name, RecordName) { // CheckFolder reads a record
			continue
		}
		return ownFile(path, f.Dir, f.output)
	}
	return nil
}

// ownFile refuses to replace a file.
func ownFile(path, dir string, o Output) error {
	return refused("%s is not a file that compqa wrote, and compqa %s would replace it; nothing is changed: move it, or %s", path, o.Command,
		elsewhere(dir, o))
}

// list adds files to the list of a folder, and leaves out those that are no longer there. A record of an earlier version has no list.
func (f *Folder) list(names []string) error {
	ours, listed := written(f.Dir)
	if !listed && f.output.Again {
		return nil
	}
	for _, name := range names {
		ours[name] = true
	}
	var lines []string
	for name := range ours {
		if _, err := os.Lstat(filepath.Join(f.Dir, name)); err == nil && name != "" {
			lines = append(lines, filepath.ToSlash(name)+"\n")
		}
	}
	slices.Sort(lines)
	return writeBeside(filepath.Join(f.Dir, writtenName), table.Text(strings.Join(lines, "")))
}

// beside begins the names of folders in which files are made.
const beside = ".compqa-new-"

// OpenFolder opens a folder for writing: it locks it, and refuses one that holds something else. The caller closes it.
func OpenFolder(dir string, o Output) (*Folder, error) {
	if err := CheckFolder(dir, o); err != nil { // before the folder is created
		return nil, err
	}
	f := &Folder{Dir: dir, output: o}
	for missing := filepath.Clean(dir); !data.IsFolder(missing); missing = filepath.Dir(missing) {
		f.created = append(f.created, missing)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		f.removeCreated()
		return nil, unwritable(dir, err)
	}
	if err := f.takeLock(o); err != nil {
		return nil, err
	}
	err := CheckFolder(dir, o) // nobody else writes now
	if err == nil {
		f.made, err = NewTemporary(dir, beside)
	}
	if err == nil {
		f.New = f.made.Dir
		err = f.begin(o)
	}
	if err != nil {
		f.Close()
		return nil, unwritable(dir, err)
	}
	return f, nil
}

// takeLock locks the folder, unless Output.Again.
func (f *Folder) takeLock(o Output) error {
	if o.Again {
		return nil
	}
	path := filepath.Join(f.Dir, LockName)
	lock, holder, err := LockFile(path)
	if err == nil && lock == nil && o.Waits != nil {
		fmt.Fprintf(o.Waits, "%s is in use by another compqa (%s): waiting for it\n", f.Dir, holder)
		for ; err == nil && lock == nil; lock, holder, err = LockFile(path) {
			time.Sleep(20 * time.Millisecond)
			if err := os.MkdirAll(f.Dir, 0o755); err != nil { // the other one may have removed it
				return err
			}
		}
	}
	if err == nil && lock == nil {
		return refused("%s is in use by another compqa (%s); wait for it, or use another --out", f.Dir, holder)
	}
	if err != nil {
		f.removeCreated()
		return unwritable(f.Dir, err)
	}
	f.lock = lock
	return nil
}

// begin puts tables that are written again, or deleted because they have no rows now, into New.
func (f *Folder) begin(o Output) error {
	if !o.Again {
		return nil
	}
	for _, pattern := range []string{"reparse.md", "tables/*"} {
		files, _ := filepath.Glob(filepath.Join(f.Dir, pattern))
		for _, path := range files {
			name, err := filepath.Rel(f.Dir, path)
			if err == nil && !data.IsFolder(path) {
				err = linkOrCopy(path, filepath.Join(f.New, name))
				f.Stale(name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// linkOrCopy gives a file a second name. Where the file system has no links, it is a copy.
func linkOrCopy(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	content, err := os.Open(from)
	if err != nil {
		return err
	}
	defer content.Close()
	return table.WriteFile(to, func(w io.Writer) error { _, err := io.Copy(w, content); return err })
}

// Stale names files of an earlier time, below the folder, that are deleted unless they are written again.
func (f *Folder) Stale(names ...string) { f.stale = append(f.stale, names...) }

// Commit gives the files their names.
func (f *Folder) Commit() error {
	var names []string
	err := filepath.WalkDir(f.New, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == LockName {
			return err
		}
		name, err := filepath.Rel(f.New, path)
		if err == nil && data.IsFolder(filepath.Join(f.Dir, name)) {
			err = refused("%s is a folder, where a file is to be written; nothing is changed", filepath.Join(f.Dir, name))
		}
		names = append(names, name)
		return err
	})
	if err == nil {
		err = f.keepOwn(slices.Concat(names, f.stale))
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		to := filepath.Join(f.Dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if name == RecordName { // the log of the earlier record is not one of the new record
			if err := errors.Join(remove(to+"-wal"), remove(to+"-shm")); err != nil {
				return err
			}
		}
		if err := os.Rename(filepath.Join(f.New, name), to); err != nil {
			return err
		}
	}
	for _, name := range f.stale {
		if slices.Contains(names, name) || data.IsFolder(filepath.Join(f.Dir, name)) {
			continue
		}
		if err := remove(filepath.Join(f.Dir, name)); err != nil {
			return err
		}
	}
	f.done = true
	return f.list(names)
}

// remove deletes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Close ends the writing. Without Commit nothing has changed.
func (f *Folder) Close() {
	if f.made != nil {
		f.made.Close()
	}
	if f.lock != nil {
		if _, err := os.Stat(filepath.Join(f.Dir, RecordName)); err != nil { // a record keeps its lock file
			os.Remove(filepath.Join(f.Dir, LockName))
		}
		f.lock.Release()
	}
	if !f.done {
		f.removeCreated()
	}
}

// removeCreated removes the folders that were created, if they are empty.
func (f *Folder) removeCreated() {
	for _, dir := range f.created {
		os.Remove(dir)
	}
}

// InFolder has a command write its files into a folder: all of them, or none.
func InFolder(dir string, o Output, write func(dir string) error) error {
	f, err := OpenFolder(dir, o)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f.New); err != nil {
		return err
	}
	if o.Content == ContentReport { // tables without rows now
		for _, pattern := range []string{"tables/*", "tables/more/*", "reparse.*"} {
			left, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, path := range left {
				name, err := filepath.Rel(dir, path)
				if err == nil && !data.IsFolder(path) {
					f.Stale(name)
				}
			}
		}
	}
	return f.Commit()
}
