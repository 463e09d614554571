package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// A Send is something that leaves the program with a provider's requests: an environment variable whose value goes to a host, or a local
// program that receives the requests.
type Send struct{ Provider, Variable, Host, Program string }

func (s Send) String() string {
	if s.Program != "" {
		return fmt.Sprintf("provider %s runs %s", s.Provider, s.Program)
	}
	return fmt.Sprintf("provider %s sends $%s to %s", s.Provider, s.Variable, s.Host)
}

// Sends lists the environment variables that requests of these providers send to other machines, and the programs that the providers run.
// It leaves out addresses of this machine: localhost, 127.0.0.0/8 and ::1.
func (c *Config) Sends(providers []string) []Send {
	var list []Send
	for _, name := range slices.Compact(slices.Sorted(slices.Values(providers))) {
		p, live := c.Providers[name]
		if !live {
			continue
		}
		if p.Type == llm.TypeCommand {
			list = append(list, Send{Provider: name, Program: strings.Join(p.Run, " ")})
			continue
		}
		variables := []string{p.APIKeyEnv}
		for _, header := range slices.Sorted(maps.Keys(p.Headers)) {
			os.Expand(p.Headers[header], func(variable string) string {
				variables = append(variables, variable)
				return ""
			})
		}
		for _, host := range remote(p) {
			for _, variable := range variables {
				if s := (Send{Provider: name, Variable: variable, Host: host}); variable != "" && !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// remote returns the hosts of a provider's servers that are not this machine.
func remote(p llm.Provider) (hosts []string) {
	if p.Type == llm.TypeCommand || p.Type == "" {
		return nil
	}
	for _, server := range p.Servers() {
		u, err := url.Parse(server.WithDefaults().BaseURL)
		if err == nil && !strings.EqualFold(u.Hostname(), "localhost") && !net.ParseIP(u.Hostname()).IsLoopback() {
			hosts = append(hosts, strings.ToLower(u.Host))
		}
	}
	return hosts
}

// LiveProviders returns the names of the providers that entries ask, sorted.
func (c *Config) LiveProviders() []string {
	names := data.Each(c.LiveEntries(), func(e LiveEntry) string { return e.Provider })
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// Outside lists the files that the configuration names and that lie outside its folder. It returns nil unless one of the providers is on
// another machine, to which prompts with parts of these files could go.
func (c *Config) Outside(providers []string) (list []string) {
	if c.File == "" || !slices.ContainsFunc(providers, func(name string) bool { return remote(c.Providers[name]) != nil }) {
		return nil
	}
	resolved := func(path string) string {
		if full, err := filepath.Abs(path); err == nil {
			path = full
		}
		if linked, err := filepath.EvalSymlinks(path); err == nil {
			path = linked
		}
		return path
	}
	folder := resolved(filepath.Dir(c.File))
	add := func(key, path string) {
		if path == "" || path == "-" {
			return
		}
		if relative, err := filepath.Rel(folder, resolved(c.Path(path))); err != nil || !filepath.IsLocal(relative) {
			list = append(list, fmt.Sprintf("%s is outside the configuration's folder: %s", key, path))
		}
	}
	for key, path := range map[string]string{"dataset": c.Dataset, "rubric": c.Rubric} {
		if strings.ContainsAny(path, `/\.`) { // otherwise the name is built in
			add(key, path)
		}
	}
	slices.Sort(list)
	for _, s := range c.Scenarios {
		add("template of scenario "+s.ID, s.Template)
	}
	for _, m := range c.Models {
		add("path of "+m.Name, m.Path)
		add("sources of "+m.Name, m.Sources)
	}
	for _, j := range c.Judges {
		add("path of "+j.Name, j.Path)
	}
	return list
}
