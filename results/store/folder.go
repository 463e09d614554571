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

// A Temporary is a folder in which a command makes files, with a lock file next to it. When a command is killed, its lock is released, and
// the next command that makes such a folder in the same place removes the old one.
type Temporary struct {
	Dir  string
	lock *FileLock
}

// lockSuffix ends the name of the lock file next to a temporary folder.
const lockSuffix = ".lock"

// NewTemporary makes a folder in parent whose name begins with prefix, after it has removed those that killed commands left there. The
// caller closes it.
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
		if lock == nil { // another command is removing it as left over
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
		if err == nil && lock != nil && locksExist { // otherwise it belongs to another user, or is in use
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

// WriteOutput writes the output file of a command, completely or not at all. It writes straight into a file that is not regular, such as a
// pipe.
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

// writeBeside writes a file in a temporary folder next to it, and moves the complete file to its path.
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

// A Folder is a folder that a command is writing. The command makes its files in New; Commit moves them all to Dir. Until then Dir is
// unchanged.
type Folder struct {
	Dir, New string
	made     *Temporary // the folder New
	lock     *FileLock  // nil if the folder is not locked
	created  []string   // folders created by OpenFolder, the innermost first
	stale    []string   // see Stale
	output   Output
	done     bool
}

// writtenName is the file that lists, one a line, the files that commands wrote into its folder. Any other file is the user's own and is
// never replaced.
const writtenName = ".compqa-files"

// written returns the names in a folder's list of written files. listed is false if the folder has no list, because no command wrote there
// or an earlier version did.
func written(dir string) (names map[string]bool, listed bool) {
	text, err := os.ReadFile(filepath.Join(dir, writtenName))
	names = map[string]bool{}
	for _, name := range strings.Split(string(text), "\n") {
		names[filepath.FromSlash(name)] = true
	}
	return names, err == nil
}

// keepOwn returns an error if any of the names (below the folder) is a file that no command wrote. It checks nothing if Output.Continues
// is set, or where an earlier version wrote a record or page and no list.
func (f *Folder) keepOwn(names []string) error {
	ours, listed := written(f.Dir)
	if f.output.Continues || !listed && (f.output.Again || Holding(f.Dir).Content != ContentNothing) {
		return nil
	}
	for _, name := range names {
		path := filepath.Join(f.Dir, name)
		if _, err := os.Lstat(path); err != nil || ours[name] || strings.HasPrefix(name, RecordName) { // CheckFolder checks records
			continue
		}
		return ownFile(path, f.Dir, f.output)
	}
	return nil
}

// ownFile returns the error that refuses to replace a user's own file.
func ownFile(path, dir string, o Output) error {
	return refused("%s is not a file that compqa wrote, and compqa %s would replace it; nothing is changed: move it, or %s", path, o.Command,
		elsewhere(dir, o))
}

// list adds names to the folder's list of written files, and drops names of files that no longer exist. It makes no list for an existing
// record that has none.
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

// beside is the prefix of the names of temporary folders.
const beside = ".compqa-new-"

// OpenFolder opens a folder for writing. It checks that the command may write there (CheckFolder), creates the folder, locks it, checks
// again, and creates Folder.New. The caller closes the Folder.
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
	err := CheckFolder(dir, o) // again, now that no other command writes
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

// takeLock locks the folder, unless Output.Again is set. If another command has the lock, it waits where Output.Waits is set, and returns
// an error otherwise.
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
			if err := os.MkdirAll(f.Dir, 0o755); err != nil { // the other command may have removed the folder
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

// begin links the folder's present tables into New if Output.Again is set, and marks them as stale.
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

// linkOrCopy makes a hard link to a file, or a copy if the file system has no links.
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

// Stale names files, below the folder, that an earlier command wrote. Commit deletes those that were not written again.
func (f *Folder) Stale(names ...string) { f.stale = append(f.stale, names...) }

// Commit moves the files from New to the folder. Before it changes anything, it returns an error if a file would replace a folder or a
// user's own file. It then deletes stale files and updates the list of written files.
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
		if name == RecordName { // the earlier record's log must not be applied to the new record
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

// Close removes New and releases the lock. Without a Commit, the folder is as it was before OpenFolder.
func (f *Folder) Close() {
	if f.made != nil {
		f.made.Close()
	}
	if f.lock != nil {
		if _, err := os.Stat(filepath.Join(f.Dir, RecordName)); err != nil { // keep the lock file of a record
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

// InFolder calls write with a temporary folder and then moves all files to dir. If write fails, dir is unchanged. For a report, tables
// that were not written again are deleted.
func InFolder(dir string, o Output, write func(dir string) error) error {
	f, err := OpenFolder(dir, o)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f.New); err != nil {
		return err
	}
	if o.Content == ContentReport { // delete tables that have no rows now
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
