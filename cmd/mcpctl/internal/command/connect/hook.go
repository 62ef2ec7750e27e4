package connect

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
)

// hookOwner is the name under which changes of hooks are recorded.
const hookOwner = "mcpctl-hook"

const (
	hookEvent   = "PostToolUse"
	hookTools   = "Bash|Read|Grep|WebFetch|mcp__.*"
	hookSeconds = 10 // after which the client gives up; mcpctl does after 2
)

// hookGroup is an element of the list of an event: hooks for the tools that match.
type hookGroup struct {
	Matcher string `json:"matcher"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// hookPlan is a pending change of a client's hooks.
type hookPlan struct{ *plan }

// connect writes the hook of the project, in place of that of another project.
func (p hookPlan) connect() error {
	own, err := p.ownScope()
	if err != nil {
		return err
	}
	if own == "" {
		p.opts.warn("note: the model opens parts of a result with the project's read_section: mcpctl connect %s --project %s", p.opts.Client, p.opts.Project)
	}
	p.choose(own)
	s, err := p.opts.ownEntry(p.place, "hook", "--project", p.opts.Project)
	if err != nil {
		return err
	}
	command := shellQuote(s.Command) + " " + strings.Join(s.Args, " ")
	if home := s.Env["MCPCTL_HOME"]; home != "" {
		command = "MCPCTL_HOME=" + shellQuote(home) + " " + command
	}
	group, err := encodeHook(hookGroup{hookTools, []hook{{"command", command, hookSeconds}}})
	if err != nil {
		return err
	}
	return p.replace(group)
}

// disconnect removes the hook of mcpctl.
func (p hookPlan) disconnect() error {
	scope := ""
	for _, at := range p.places {
		if groups, err := p.groups(at); err == nil && slices.ContainsFunc(groups, isOwnHook) {
			scope = at.Scope
			break
		}
	}
	p.choose(scope)
	return p.replace(nil)
}

// ownScope returns the scope of the project's entry, "" if there is none.
func (p hookPlan) ownScope() (string, error) {
	entries, err := newPlan(p.opts)
	if err != nil {
		return "", err
	}
	list, err := entries.entries()
	for _, e := range list {
		if p.opts.isOfProject(e) {
			return e.at.Scope, err
		}
	}
	return "", err
}

// choose selects the place: that of the selected scope, otherwise of scope, otherwise the client's
// default.
func (p hookPlan) choose(scope string) {
	if p.opts.Scope != "" {
		scope = p.opts.Scope
	}
	i := max(0, slices.IndexFunc(p.places, func(at clients.Place) bool { return at.Scope == scope }))
	p.place = p.places[i]
}

// groups returns the elements of the list of the event.
func (p hookPlan) groups(at clients.Place) (groups []json.RawMessage, err error) {
	f, err := p.file(at)
	if err != nil {
		return nil, err
	}
	entries, err := f.Entries(at.Path...)
	if err != nil {
		return nil, clientconfig.InFile(at.File, err)
	}
	i := slices.IndexFunc(entries, func(e clientconfig.Entry) bool { return e.Name == hookEvent })
	if i < 0 {
		return nil, nil
	}
	if err := json.Unmarshal(entries[i].Raw, &groups); err != nil {
		return nil, clientconfig.InFile(at.File, problem.New(abi.ErrConfig, "hooks.%s is no list", hookEvent))
	}
	return groups, nil
}

// replace removes the hooks of mcpctl, and adds group if it is not nil.
func (p hookPlan) replace(group json.RawMessage) error {
	groups, err := p.groups(p.place)
	if err != nil {
		return err
	}
	f, err := p.file(p.place)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(groups), isOwnHook)
	if group == nil && len(others) == len(groups) {
		return nil
	}
	if group != nil {
		others = append(others, group)
	}
	if len(others) == 0 {
		err = f.Remove(hookEvent, p.place.Path...)
	} else {
		list := []byte("[") // json.Marshal would escape <, > and & in the hooks of the user
		for i, g := range others {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, g...)
		}
		err = f.Set(hookEvent, append(list, ']'), p.place.Path...)
	}
	if err != nil {
		return clientconfig.InFile(p.place.File, err)
	}
	return nil
}

// ownHook matches the command of a hook that connect writes.
var ownHook = regexp.MustCompile(`(^|[/\\ '"])mcpctl(\.exe)?['"]? hook --project `)

// isOwnHook reports whether a group has only the hook of mcpctl.
func isOwnHook(group json.RawMessage) bool {
	var g hookGroup
	return json.Unmarshal(group, &g) == nil && len(g.Hooks) == 1 && ownHook.MatchString(g.Hooks[0].Command)
}

// encodeHook encodes a group without escapes that only HTML needs.
func encodeHook(g hookGroup) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(g)
	return bytes.TrimSpace(b.Bytes()), err
}

// hookPlaces returns the places in which the client keeps hooks.
func (opts *Options) hookPlaces() ([]clients.Place, error) {
	places := opts.client.HookPlaces(opts.env)
	if places == nil {
		return nil, problem.Usagef("%s has no hooks that mcpctl knows, only Claude Code has", opts.client.Title).WithHint("mcpctl %s claude-code --hook", opts.verb())
	}
	return places, nil
}
