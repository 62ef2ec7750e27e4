// Package config reads and writes the settings of a home, config.yaml, and tells
// where each value comes from. It holds no secret and no object.
package config

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// File is the name of the settings in the home.
const File = "config.yaml"

// Key describes one setting. The table of all of them is what help, completion
// and the reference are made of.
type Key struct {
	Name    string // on the command line: mcplocal-url
	Field   string // in the file: mcplocalUrl
	Env     string
	Default string
	Help    string
	old     string // the field's name of former times
	check   func(string) string
}

// Keys are all settings.
var Keys = []Key{
	{Name: "mcplocal-url", Field: "mcplocalUrl", Env: "MCPCTL_MCPLOCAL_URL", Default: "http://127.0.0.1:3200",
		Help: "where the daemon listens, for clients with an HTTP entry", old: "daemonUrl", check: loopbackURL},
	{Name: "mcpd-url", Field: "mcpdUrl", Env: "MCPCTL_MCPD_URL", Help: "the team server; this version does not contact it", check: webURL},
}

// Setting is a Key with the value in force.
type Setting struct {
	Key    Key
	Value  string
	Origin string // default, config.yaml or the name of an environment variable
}

// Settings are the values in force, in the order of Keys.
type Settings []Setting

// Get returns the value of a key by its command line name, "" if unset.
func (s Settings) Get(name string) string {
	for _, v := range s {
		if v.Key.Name == name {
			return v.Value
		}
	}
	return ""
}

// Listen is the address the daemon listens on without --listen.
func (s Settings) Listen() string {
	u, err := url.Parse(s.Get("mcplocal-url"))
	if err != nil {
		return "" // Load has checked it
	}
	return u.Host
}

// Load reads the settings of a home: environment before file before default.
//
// Warnings are about what is accepted but should be written otherwise.
// Errors: abi.ErrConfig for a file or value that cannot be read.
func Load(home string, env func(string) string) (settings Settings, warnings []string, err error) {
	text, err := os.ReadFile(filepath.Join(home, File))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	values, warnings, err := parse(string(text))
	if err != nil {
		return nil, nil, err
	}
	for _, k := range Keys {
		s := Setting{k, k.Default, "default"}
		if v, ok := values[k.Field]; ok {
			s.Value, s.Origin = v, File
		}
		if v := env(k.Env); v != "" {
			s.Value, s.Origin = v, k.Env
		}
		if why := k.fault(s.Value); why != "" {
			return nil, nil, invalid("%s of %s %s", k.Name, s.Origin, why)
		}
		settings = append(settings, s)
	}
	return settings, warnings, nil
}

// Find returns the key of a name, written as on the command line or in the file.
func Find(name string) (Key, error) {
	var names []string
	for _, k := range Keys {
		if name == k.Name || name == k.Field || name == k.old {
			return k, nil
		}
		names = append(names, k.Name)
	}
	p := problem.Usagef("unknown setting %q", name)
	p.Cause = "settings are " + join(names)
	if near := object.Nearest(name, names); near != "" {
		p.Cause = "did you mean " + near + "? " + p.Cause
	}
	return Key{}, p.WithHint("mcpctl config view")
}

func (k Key) fault(value string) string {
	if value == "" {
		return ""
	}
	return k.check(value)
}

func webURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "is no address: want http://HOST:PORT"
	}
	if u.User != nil {
		return "holds a user or password: settings hold no secret"
	}
	return ""
}

// loopbackURL: the daemon is reached from this machine alone.
func loopbackURL(s string) string {
	if why := webURL(s); why != "" {
		return why
	}
	u, _ := url.Parse(s) // webURL has read it
	ip := net.ParseIP(u.Hostname())
	switch {
	case u.Scheme != "http":
		return "is no http:// address"
	case u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()):
		return "is not on this machine: want a loopback address"
	case u.Port() == "":
		return "has no port"
	case u.Path != "" && u.Path != "/":
		return "has a path: want http://HOST:PORT"
	}
	return ""
}
