// Package pgtest starts a PostgreSQL server for tests and benchmarks.
package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"compqa/data/sharedtest"
)

// A Server is a PostgreSQL server with its data in a temporary folder.
type Server struct {
	URL  string // of its database
	Port int

	t   testing.TB
	bin string
	dir string
	cmd *exec.Cmd
	as  *syscall.Credential // the user that runs PostgreSQL, which refuses to run as root; nil: the current user
}

// Start starts a server, and stops it at the end of the test. If PostgreSQL is not installed, the test is skipped, or with CI=true fails.
// options are settings of the server, as name=value.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	return start(t, true, options...)
}

// start starts a server. With named, it stops the server at the end of the test.
func start(t testing.TB, named bool, options ...string) *Server {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.Reverse(found)
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		sharedtest.Missing(t, "no PostgreSQL (apt-get install postgresql)")
	}
	s := &Server{t: t, bin: filepath.Dir(found[0])}
	var err error
	if s.dir, err = os.MkdirTemp("", "compqa-pg-"); err != nil {
		t.Fatal(err)
	}
	if named {
		t.Cleanup(func() { s.Stop(); os.RemoveAll(s.dir) })
	}
	if os.Getuid() == 0 {
		for _, name := range []string{"postgres", "nobody"} {
			if u, err := user.Lookup(name); err == nil {
				uid, _ := strconv.Atoi(u.Uid)
				gid, _ := strconv.Atoi(u.Gid)
				s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
				os.Chown(s.dir, uid, gid)
				break
			}
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	s.run("initdb", "-D", s.data(), "-U", "compqa", "-A", "trust", "-E", "UTF8", "--no-sync")
	settings := append([]string{"listen_addresses='127.0.0.1'", fmt.Sprintf("port=%d", s.Port), "unix_socket_directories=''",
		"max_connections=100"}, options...)
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range settings {
		fmt.Fprintln(f, line)
	}
	f.Close()
	s.URL = fmt.Sprintf("postgres://compqa@127.0.0.1:%d/postgres", s.Port)
	s.Go()
	return s
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return cmd
}

func (s *Server) run(name string, args ...string) {
	s.t.Helper()
	if text, err := s.command(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, text)
	}
}

// Go starts the server, also after Stop, and waits until it accepts connections.
func (s *Server) Go() {
	s.t.Helper()
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	s.cmd = s.command("postgres", "-D", s.data())
	s.cmd.Stdout = log
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		if s.command("pg_isready", "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port), "-t", "1").Run() == nil {
			return
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(log.Name())
			s.t.Fatalf("PostgreSQL does not start:\n%s", text)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

var (
	shared     *Server
	sharedLock sync.Mutex
	databases  int
)

// Database returns the URL of a new database on a server that the tests of a package share. Call StopShared in TestMain to stop the server.
func Database(t testing.TB) string {
	t.Helper()
	sharedLock.Lock()
	defer sharedLock.Unlock()
	if shared == nil {
		shared = start(t, false)
	}
	databases++
	name := fmt.Sprintf("test%d", databases)
	shared.t = t
	shared.run("createdb", "-h", "127.0.0.1", "-p", strconv.Itoa(shared.Port), "-U", "compqa", name)
	return strings.TrimSuffix(shared.URL, "postgres") + name
}

// StopShared stops the server that Database started.
func StopShared() {
	if shared != nil {
		shared.Stop()
		os.RemoveAll(shared.dir)
	}
}

// Stop stops the server immediately, as in a crash.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	s.cmd.Process.Signal(syscall.SIGQUIT)
	s.cmd.Wait()
	s.cmd = nil
}

// StopAndCount stops the server and returns the processor time that it used.
func (s *Server) StopAndCount() time.Duration {
	s.cmd.Process.Signal(syscall.SIGINT)
	s.cmd.Wait()
	used := s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
	s.cmd = nil
	return used
}
