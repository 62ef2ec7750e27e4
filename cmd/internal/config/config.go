// Package config reads and writes the settings of a home, config.yaml, and reports where
// each value comes from. The settings contain no secrets and no objects. The section llm
// is checked here, but used by the host, which applies changes immediately.
package config

import (
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// File is the name of the settings in the home.
const File = homedir.SettingsFile

// Setting is a Key with its current value.
type Setting struct {
	Key    Key
	Value  string
	Origin string // default, config.yaml or the name of an environment variable
}

// Settings are the current values, in the order of Keys.
type Settings []Setting

// Get returns the value of a key by its name on the command line, or "".
func (s Settings) Get(name string) string {
	for _, v := range s {
		if v.Key.Name == name {
			return v.Value
		}
	}
	return ""
}

// Listen returns the address that the daemon listens on without --listen.
func (s Settings) Listen() string {
	u, err := url.Parse(s.Get("mcplocal-url"))
	if err != nil {
		return "" // Load has checked it
	}
	return u.Host
}

// Bytes returns the value of a key of kind Size.
func (s Settings) Bytes(name string) int64 {
	n, _ := strictyaml.ParseBytes(s.Get(name)) // Load has checked it
	return int64(n)
}

// Duration returns the value of a key of kind Time.
func (s Settings) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.Get(name)) // Load has checked it
	return d
}

// Int returns the value of a key of kind Count.
func (s Settings) Int(name string) int {
	n, _ := strconv.Atoi(s.Get(name)) // Load has checked it
	return n
}

// LogLevel returns the value of log.level.
func (s Settings) LogLevel() slog.Level {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.Get("log.level"))) // Load has checked it
	return level
}

// StageLevels returns the values of log.stages, by stage.
func (s Settings) StageLevels() map[string]slog.Level {
	levels := make(map[string]slog.Level)
	for _, v := range s {
		if stage, ok := strings.CutPrefix(v.Key.Name, StageLevels+"."); ok && v.Value != "" {
			var level slog.Level
			_ = level.UnmarshalText([]byte(v.Value)) // Load has checked it
			levels[stage] = level
		}
	}
	return levels
}

// Load reads the settings of a home. The environment has precedence over the file, and
// the file over defaults. Warnings are for settings that are accepted but should be
// changed.
//
// It returns abi.ErrConfig with all invalid values.
func Load(home string, env func(string) string) (settings Settings, warnings []string, err error) {
	text, err := os.ReadFile(filepath.Join(home, File))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	file := parse(string(text))
	faults := file.faults
	for _, k := range withStageLevels(file.values) {
		s := Setting{k, k.Default, "default"}
		if v, ok := file.values[k.Field()]; ok {
			s.Value, s.Origin = v, File
		}
		if v := env(k.Env()); v != "" && !k.noEnv {
			s.Value, s.Origin = v, k.Env()
		}
		if why := k.fault(s.Value); why != "" {
			fault := error(invalid("%s of %s %s", k.Name, s.Origin, why))
			if s.Origin == File {
				fault = atLine(file.lines[k.Field()], fault)
			}
			faults.add(fault)
		}
		settings = append(settings, s)
	}
	if err := faults.err(); err != nil {
		return nil, nil, err
	}
	return settings, file.warnings, nil
}

// withStageLevels returns Keys, with the stage levels of the file after log.level.
func withStageLevels(values map[string]string) (keys []Key) {
	for _, k := range Keys {
		keys = append(keys, k)
		if k.Name != "log.level" {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if level, ok := stageLevel(name); ok {
				keys = append(keys, level)
			}
		}
	}
	return keys
}

// Find returns the key with a name, in the form of the command line or of the file.
func Find(name string) (Key, error) {
	var names []string
	if k, ok := stageLevel(name); ok {
		return k, nil
	}
	for _, k := range Keys {
		if name == k.Name || name == k.Field() || name == k.old {
			return k, nil
		}
		names = append(names, k.Name)
	}
	names = append(names, StageLevels+".NAME")
	p := problem.Usagef("unknown setting %q", name)
	p.Cause = "settings are " + join(names)
	if near := suggest.Nearest(name, names); near != "" {
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
