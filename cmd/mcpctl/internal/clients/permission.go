package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
)

// Lists of permission rules in the settings of Claude Code, protecting lists first.
const (
	deny         = "deny"
	ask          = "ask"
	allow        = "allow"
	allowedTools = "allowedTools" // legacy list of allow rules in .claude.json
)

var ruleLists = []string{deny, ask, allow, allowedTools}

// Rule is a permission rule of Claude Code for a client's own entry. It does not apply to the tools
// of
// a project, because their names begin with the name of the mcpctl entry.
type Rule struct {
	File string
	List string
	Text string
	New  string // equivalent rule for the tools of the project
}

// Protects reports whether the rule denies a tool or requires confirmation by the user.
func (r Rule) Protects() bool { return r.List == deny || r.List == ask }

// Served is a project to which an entry in a client's file connects.
type Served struct {
	Entry   string // name of the entry in the client's file
	Project string
	Bare    bool              // tool names have no server prefix
	Servers map[string]string // servers of the project, keyed by the client's own entry names
}

// NewServed returns the description of a project served by an entry of mcpctl. It maps each server
// to
// an entry of the same name; callers can add others.
func NewServed(entry, project string, d api.ProjectDetails) Served {
	servers := make(map[string]string)
	for _, name := range d.Servers {
		servers[name] = name
	}
	return Served{entry, project, d.ToolNames == object.NamesBare, servers}
}

// StaleRules returns the permission rules for the client's own entries that do not apply to the
// tools
// of the same servers in a project: deny, then ask, then allow rules. Only Claude Code has such
// rules.
// skipped contains the errors of files that were skipped.
//
// The syntax of the rules: https://code.claude.com/docs/en/permissions
func (c Client) StaleRules(e Env, s Served) (stale []Rule, skipped []error) {
	if c.Name != "claude-code" {
		return nil, nil
	}
	var all []Rule
	for _, from := range c.ruleSources(e) {
		rules, err := readRules(from)
		if err != nil {
			skipped = append(skipped, clientconfig.InFile(from.File, err))
		}
		all = append(all, rules...)
	}
	for _, list := range ruleLists {
		for _, r := range all {
			if r.List != list {
				continue
			}
			for _, r.New = range s.successors(r) {
				if !slices.ContainsFunc(all, func(o Rule) bool { return s.covers(o, r) }) {
					stale = append(stale, r)
				}
			}
		}
	}
	return stale, skipped
}

// ruleSources returns the locations of Claude Code's permission rules for a directory.
func (c Client) ruleSources(e Env) (sources []clientconfig.Location) {
	dirs := []string{filepath.Join(e.Dir, ".claude")}
	if e.Home != "" || e.Var(c.DirVariable) != "" {
		own := e.directory(c.DirVariable, filepath.Join(e.Home, ".claude"))
		if own != dirs[0] {
			dirs = append(dirs, own)
		}
		sources = append(sources, clientconfig.Location{File: filepath.Join(e.directory(c.DirVariable, e.Home), ".claude.json"), Path: []string{"projects", e.Dir}})
	}
	for _, dir := range dirs {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			sources = append(sources, clientconfig.Location{File: filepath.Join(dir, name), Path: []string{"permissions"}})
		}
	}
	return sources
}

// readRules reads the rules of one file. A file that does not exist has no rules.
func readRules(from clientconfig.Location) (rules []Rule, err error) {
	text, err := clientconfig.ReadFile(from.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lists, _, err := clientconfig.JSON.Entries(text, from.Path)
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		// .claude.json contains only allowedTools, the other files contain the other lists.
		if !slices.Contains(ruleLists, l.Name) || (l.Name == allowedTools) != (from.Path[0] == "projects") {
			continue
		}
		var texts []string
		if json.Unmarshal(l.Raw, &texts) != nil {
			err = fmt.Errorf("%w: %s is not a list of strings", abi.ErrConfig, l.Name)
		}
		for _, t := range texts {
			rules = append(rules, Rule{File: from.File, List: l.Name, Text: t})
		}
	}
	return rules, err
}

// successors returns the rules for the same tools in the project, or nil if the rule does not match
// an
// entry of one of its servers.
func (s Served) successors(r Rule) (list []string) {
	for entry, server := range s.Servers {
		if tool, ok := r.toolOf(entry); ok {
			list = append(list, s.rule(server, tool))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// rule returns the rule for a tool of a server, or for a pattern of tools.
func (s Served) rule(server, tool string) string {
	if strings.Contains(tool, "*") {
		return "mcp__" + s.Entry + "__" + host.WireName(s.Project, s.Bare, server, "") + tool
	}
	return "mcp__" + s.Entry + "__" + host.WireName(s.Project, s.Bare, server, tool)
}

// toolOf returns the tool or the tool pattern of a rule; ok is false if the rule is not for entry.
func (r Rule) toolOf(entry string) (tool string, ok bool) {
	text, server, tools := foldName(r.Text), foldName("mcp__"+entry), foldName("mcp__"+entry+"__")
	head, tail, isPattern := strings.Cut(r.Text, "*")
	switch {
	case strings.Contains(r.Text, "(") || len(text) != len(r.Text):
		return "", false // Claude Code ignores rules with parentheses for MCP tools
	case text == server:
		return "*", true
	case strings.HasPrefix(text, tools):
		return r.Text[len(tools):], true
	case !isPattern || !r.Protects() || !strings.HasPrefix(tools, foldName(head)):
		return "", false // in the other lists, a pattern must follow the name of the server
	case strings.HasPrefix(tail, "__"): // mcp__file*__write
		return tail[len("__"):], true
	}
	return "*" + tail, true // mcp__file*
}

// covers reports whether r has the effect of the new rule of other.
func (s Served) covers(r, other Rule) bool {
	if r.Protects() != other.Protects() || r.List == ask && other.List == deny {
		return false
	}
	matches, err := path.Match(r.Text, other.New)
	return err == nil && matches || r.Text == "mcp__"+s.Entry
}

// foldName normalizes a name like Claude Code, which replaces special characters by underscores,
// and
// like import, which writes lower case and hyphens.
func foldName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '*':
			return c
		}
		return '-'
	}, name)
}
