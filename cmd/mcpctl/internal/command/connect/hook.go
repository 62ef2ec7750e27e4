package connect

import (
	"bytes"
	"encoding/json"
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
	hookTools   = "Bash|Read|Grep|Glob|WebFetch|mcp__.*"
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
	groups, err := p.groups(p.place)
	if err != nil || slices.ContainsFunc(groups, func(g json.RawMessage) bool { return hasCommand(g, command) }) {
		return err // it may have another matcher, which the user has chosen
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
		if groups, err := p.groups(at); err == nil && slices.ContainsFunc(groups, hasOwnHook) {
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
	i := slices.IndexFunc(entries, func(e clientconfig.Entry) bool { return e.Name == clients.HookEvent })
	if i < 0 {
		return nil, nil
	}
	if err := json.Unmarshal(entries[i].Raw, &groups); err != nil {
		return nil, clientconfig.InFile(at.File, problem.New(abi.ErrConfig, "hooks.%s is no list", clients.HookEvent))
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
	for _, g := range groups {
		if own, others := countHooks(g); own > 0 && others > 0 {
			return problem.New(abi.ErrConflict, "hooks.%s of %s has the hook of mcpctl in a group with other hooks, nothing was changed", clients.HookEvent, p.place.File).
				WithHint("${EDITOR:-vi} %s", problem.Arg(p.place.File))
		}
	}
	others := slices.DeleteFunc(slices.Clone(groups), isOwnHook)
	if group == nil && len(others) == len(groups) {
		return nil
	}
	if group != nil {
		others = append(others, group)
	}
	if len(others) == 0 {
		err = f.Remove(clients.HookEvent, p.place.Path...)
	} else {
		list := []byte("[") // json.Marshal would escape <, > and & in the hooks of the user
		for i, g := range others {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, g...)
		}
		err = f.Set(clients.HookEvent, append(list, ']'), p.place.Path...)
	}
	if err != nil {
		return clientconfig.InFile(p.place.File, err)
	}
	return nil
}

// isOwnHook reports whether a group has only the hook of mcpctl.
func isOwnHook(group json.RawMessage) bool {
	own, others := countHooks(group)
	return own > 0 && others == 0
}

// hasOwnHook reports whether a group has a hook of mcpctl.
func hasOwnHook(group json.RawMessage) bool {
	own, _ := countHooks(group)
	return own > 0
}

// countHooks returns how many hooks of a group are mcpctl's, and how many are not.
func countHooks(group json.RawMessage) (own, others int) {
	var g hookGroup
	if json.Unmarshal(group, &g) != nil {
		return 0, 1
	}
	for _, h := range g.Hooks {
		if _, ok := clients.ReadHook(h.Command); ok {
			own++
		} else {
			others++
		}
	}
	return own, others
}

// hasCommand reports whether a group contains a command.
func hasCommand(group json.RawMessage, command string) bool {
	var g hookGroup
	return json.Unmarshal(group, &g) == nil && slices.ContainsFunc(g.Hooks, func(h hook) bool { return h.Command == command })
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
