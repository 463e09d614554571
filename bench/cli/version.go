package cli

import (
	"runtime/debug"
	"strings"
)

// BuildDate returns the date of the commit that the program was built from, or "unknown" if the Go toolchain did not record it.
func BuildDate() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if day, _, found := strings.Cut(s.Value, "T"); s.Key == "vcs.time" && found {
				return day
			}
		}
	}
	return "unknown"
}

// BuildVersion returns the program's version and the commit that it was built from. Each is "unknown" if the Go toolchain did not record
// it.
func BuildVersion() (version, revision string) {
	version = "unknown"
	revision = "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, revision
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		revision += " with changes"
	}
	return version, revision
}
