package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
)

// HookEvent is the event of the hooks that read the results of a client's own tools.
const HookEvent = "PostToolUse"

// Hook is a hook of mcpctl in the settings of a client.
type Hook struct {
	Place   Place
	Project string
	home    string // MCPCTL_HOME in its command, "" for the default
}

// ownHook matches a command that does nothing but run the hook.
var ownHook = regexp.MustCompile(`^(?:MCPCTL_HOME=('[^']*'|\S+) )?(?:'[^']*mcpctl(?:\.exe)?'|\S*mcpctl(?:\.exe)?) hook (?:--project|-p)[ =](\S+)$`)

// ReadHook returns the hook that a command runs; ok is false if it is not one of mcpctl.
func ReadHook(command string) (h Hook, ok bool) {
	m := ownHook.FindStringSubmatch(command)
	if m == nil {
		return Hook{}, false
	}
	return Hook{Project: strings.Trim(m[2], "'"), home: strings.Trim(m[1], "'")}, true
}

// Home returns the home of the hook. One that names none uses the default, and in a file that others
// share the home of its user, current.
func (h Hook) Home(e Env, current string) string {
	byDefault := filepath.Join(e.Home, ".mcpctl")
	if h.Place.Scope == Project {
		byDefault = current
	}
	return filepath.Clean(cmp.Or(h.home, byDefault))
}

// Hooks returns the hooks of mcpctl that apply in this directory. It skips files that are invalid:
// the client does not use them.
func (c Client) Hooks(e Env) (list []Hook) {
	read := make(map[string]bool)
	for _, at := range c.HookPlaces(e) {
		f, err := clientconfig.Read(at.File, at.Syntax)
		if err != nil || read[at.File] {
			continue
		}
		read[at.File] = true // in the home directory, the user's file may also be the project's file
		entries, err := f.Entries(at.Path...)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if entry.Name == HookEvent {
				list = append(list, readHooks(at, entry.Raw)...)
			}
		}
	}
	return list
}

// readHooks returns the hooks of mcpctl in the list of an event.
func readHooks(at Place, raw []byte) (list []Hook) {
	var groups []struct {
		Hooks []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	if json.Unmarshal(raw, &groups) != nil {
		return nil
	}
	for _, g := range groups {
		for _, one := range g.Hooks {
			if h, ok := ReadHook(one.Command); ok {
				h.Place = at
				list = append(list, h)
			}
		}
	}
	return list
}

// IsConnected reports whether an entry of the client that applies in this directory connects it to
// a project of a home. It skips files and entries that are invalid.
func (c Client) IsConnected(e Env, home, project string) bool {
	for _, at := range c.Places(e) {
		f, err := clientconfig.Read(at.File, at.Syntax)
		if err != nil {
			continue
		}
		entries, err := f.Entries(at.Path...)
		if err != nil {
			continue
		}
		for _, raw := range entries {
			s, err := c.Read(raw, at)
			if err == nil && s.Project() == project && !s.Disabled && s.Home(at, e, home) == home {
				return true
			}
		}
	}
	return false
}

// WithoutEntry returns the text of a warning about the hook of a client that is not connected to
// its project.
func (h Hook) WithoutEntry(c Client) string {
	return fmt.Sprintf("the hook in %s indexes results of %s with project %s, which is not connected: the model has no read_section to open their parts", h.Place.File, c.Title, h.Project)
}

// HooksWithoutEntry returns the hooks of a home to whose project the client is not connected: its model
// reads indexes, and has no read_section to open their parts.
func (c Client) HooksWithoutEntry(e Env, home string) (list []Hook) {
	for _, h := range c.Hooks(e) {
		if h.Home(e, home) == home && !c.IsConnected(e, home, h.Project) {
			list = append(list, h)
		}
	}
	return list
}
