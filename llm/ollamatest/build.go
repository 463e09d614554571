package ollamatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Version is the last version of the server that builds from its Go module
// alone; later ones need C headers that a module leaves out.
const Version = "v0.6.5"

// Build returns the path of the server's program, and builds it where it isn't
// in the cache yet: the folder COMPQA_OLLAMA_CACHE, by default compqa/ollama in
// the user's cache folder. Building takes about two minutes on two cores, and
// needs a C compiler and the Go module proxy.
func Build() (string, error) {
	folder := os.Getenv("COMPQA_OLLAMA_CACHE")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("building ollama: %w", err)
		}
		folder = filepath.Join(cache, "compqa", "ollama")
	}
	name := "ollama"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("building ollama: %w", err)
	}
	program := filepath.Join(folder, Version, name)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := compiler(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return "", fmt.Errorf("building ollama: %w", err)
	}
	// The build happens in a separate folder, so that an interrupted build leaves
	// nothing and concurrent builds do not interfere.
	bin, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return "", fmt.Errorf("building ollama: %w", err)
	}
	defer os.RemoveAll(bin)
	install := exec.Command("go", "install", "github.com/ollama/ollama@"+Version)
	install.Dir = bin
	install.Env = append(os.Environ(), "GOBIN="+bin, "CGO_ENABLED=1", "GOFLAGS=", "GOOS=", "GOARCH=", "GOWORK=off")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building ollama %s: %w\n%s", Version, err, out)
	}
	if err := os.Rename(filepath.Join(bin, name), program); err != nil {
		return "", fmt.Errorf("building ollama: %w", err)
	}
	return program, nil
}

// compiler says what is missing where there is no C compiler.
func compiler() error {
	names := []string{"gcc", "cc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		names = []string{cc}
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return nil
		}
	}
	return errors.New("building ollama: no C compiler (gcc, cc, clang, or CC)")
}
