// Package clients describes the MCP clients: where each keeps its configuration, and the meaning of
// the entries in it. Package clientconfig edits the files.
//
// The main types are Client, Place and Server. docs/clients.md lists the sources of the formats.
package clients

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Client is one MCP client.
type Client struct {
	Name  string // on the command line
	Title string
	Tried bool   // entries were tested with the client itself, not only checked against its documentation
	After string // action required of the user after a change of the file

	OneByName   bool   // of entries with equal names, the client uses only the one of the narrowest scope
	DirVariable string // environment variable that contains the directory of the client's own file, or ""

	// MaxTools is the number of tools, of all servers together, above which the client is
	// documented to refuse or leave out some. 0: unknown. Sources: docs/clients.md.
	MaxTools int

	references references
	shape      shape
	places     func(Env) []Place
	hooks      func(Env) []Place // nil: none that are known
}

// Env is the environment that determines the paths of client files.
type Env struct {
	Home string // the user's home directory
	Dir  string // the working directory
	OS   string // runtime.GOOS
	Var  func(name string) string
}

// Scopes of entries, narrowest first.
const (
	Local   = "local"   // this directory, this user
	Project = "project" // this directory, all users: a shared file
	User    = "user"    // all directories
)

// Place is an object of a file that contains entries.
type Place struct {
	Scope  string
	File   string
	Path   []string
	Syntax clientconfig.Syntax
	Dir    string // working directory of the servers; "" means the working directory of the client
}

// All returns the clients. The first one is the default.
func All() []Client {
	return []Client{
		{Name: "claude-code", Title: "Claude Code", Tried: true, OneByName: true, DirVariable: "CLAUDE_CONFIG_DIR", references: shellReferences, shape: typedShape, places: func(e Env) []Place {
			file := filepath.Join(e.directory("CLAUDE_CONFIG_DIR", e.Home), ".claude.json")
			return []Place{
				{Local, file, []string{"projects", e.Dir, "mcpServers"}, clientconfig.JSON, e.Dir},
				{Project, filepath.Join(e.Dir, ".mcp.json"), []string{"mcpServers"}, clientconfig.JSON, e.Dir},
				{User, file, []string{"mcpServers"}, clientconfig.JSON, ""},
			}
		}, hooks: func(e Env) []Place {
			own, path := filepath.Join(e.Dir, ".claude"), []string{"hooks"}
			return []Place{
				{Local, filepath.Join(own, "settings.local.json"), path, clientconfig.JSON, e.Dir},
				{Project, filepath.Join(own, "settings.json"), path, clientconfig.JSON, e.Dir},
				{User, filepath.Join(e.directory("CLAUDE_CONFIG_DIR", filepath.Join(e.Home, ".claude")), "settings.json"), path, clientconfig.JSON, ""},
			}
		}},
		{Name: "cursor", Title: "Cursor", MaxTools: 80, references: editorReferences, shape: plainShape, places: inDirectory(".cursor", "mcp.json")},
		{Name: "vscode", Title: "VS Code", MaxTools: 128, references: editorReferences, shape: typedShape, places: func(e Env) []Place {
			return []Place{
				{User, filepath.Join(e.appData(), "Code", "User", "mcp.json"), []string{"servers"}, clientconfig.JSON, ""},
				{Project, filepath.Join(e.Dir, ".vscode", "mcp.json"), []string{"servers"}, clientconfig.JSON, e.Dir},
			}
		}},
		{Name: "codex", Title: "Codex CLI", DirVariable: "CODEX_HOME", references: noReferences, shape: codexShape, places: func(e Env) []Place {
			dir := e.directory("CODEX_HOME", filepath.Join(e.Home, ".codex"))
			return []Place{{User, filepath.Join(dir, "config.toml"), []string{"mcp_servers"}, clientconfig.TOML, ""}}
		}},
		{Name: "gemini", Title: "Gemini CLI", references: dollarReferences, shape: geminiShape, places: inDirectory(".gemini", "settings.json")},
		{Name: "claude-desktop", Title: "Claude Desktop", After: "restart Claude Desktop: it reads the file only at startup",
			references: noReferences, shape: stdioShape, places: func(e Env) []Place {
				return []Place{{User, filepath.Join(e.appData(), "Claude", "claude_desktop_config.json"), []string{"mcpServers"}, clientconfig.JSON, ""}}
			}},
		{Name: "windsurf", Title: "Windsurf", After: "press Refresh in Windsurf's list of MCP servers", references: editorReferences, shape: windsurfShape, places: func(e Env) []Place {
			return []Place{{User, filepath.Join(e.Home, ".codeium", "windsurf", "mcp_config.json"), []string{"mcpServers"}, clientconfig.JSON, ""}}
		}},
	}
}

// inDirectory returns the places of clients that use the same file below the home directory and
// below
// a project.
func inDirectory(dir, file string) func(Env) []Place {
	return func(e Env) []Place {
		return []Place{
			{User, filepath.Join(e.Home, dir, file), []string{"mcpServers"}, clientconfig.JSON, ""},
			{Project, filepath.Join(e.Dir, dir, file), []string{"mcpServers"}, clientconfig.JSON, e.Dir},
		}
	}
}

// directory returns the directory that a variable contains, or byDefault if it is not set. Relative
// paths are resolved against the working directory, as in the clients.
func (e Env) directory(variable, byDefault string) string {
	switch set := e.Var(variable); {
	case set == "":
		return byDefault
	case filepath.IsAbs(set):
		return filepath.Clean(set)
	default:
		return filepath.Join(e.Dir, set)
	}
}

// appData returns the directory in which desktop applications keep their settings.
func (e Env) appData() string {
	switch e.OS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		if dir := e.Var("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(e.Home, "AppData", "Roaming")
	}
	if dir := e.Var("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(e.Home, ".config")
}

// Names returns the names of all clients.
func Names() []string {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
	}
	return names
}

// Find returns the client called name.
func Find(name string) (Client, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// Places returns the places in which the client keeps entries. The first is the default of connect.
func (c Client) Places(e Env) []Place { return c.places(e) }

// HookPlaces returns the places in which the client keeps hooks, by event, and nil if none are
// known. They have the scopes of Places.
func (c Client) HookPlaces(e Env) []Place {
	if c.hooks == nil {
		return nil
	}
	return c.hooks(e)
}

// Place returns the place for a scope.
func (c Client) Place(e Env, scope string) (Place, bool) {
	all := c.places(e)
	i := slices.IndexFunc(all, func(p Place) bool { return p.Scope == scope })
	if i < 0 {
		return Place{}, false
	}
	return all[i], true
}

// Scopes returns the scopes of the client, its default first.
func (c Client) Scopes() []string {
	var scopes []string
	for _, p := range c.places(Env{Var: func(string) string { return "" }}) {
		scopes = append(scopes, p.Scope)
	}
	return scopes
}

// Covers reports whether an entry at p is visible to the client wherever an entry at other is, if
// both
// are in the same directory.
func (p Place) Covers(other Place) bool { return p.Scope == User || other.Scope != User }

// Source is a place from which entries can be imported.
type Source struct {
	Client Client
	Place  Place
}

// SourcesOf returns the client and the places of a file by its name. A file with any other name is
// identified by its syntax: TOML as Codex, JSON with "mcpServers" as Claude Code, JSON with
// "servers"
// as VS Code.
func SourcesOf(file string, e Env) []Source {
	dir := filepath.Dir(file)
	here := e
	here.Dir = dir
	switch filepath.Base(dir) {
	case ".cursor", ".vscode", ".gemini":
		here.Dir = filepath.Dir(dir)
	}
	for _, env := range []Env{e, here} {
		for _, c := range All() {
			var found []Source
			for _, p := range c.Places(env) {
				if p.File == file {
					found = append(found, Source{c, p})
				}
			}
			if len(found) > 0 {
				return found
			}
		}
	}
	return sourcesBySyntax(file, dir)
}

func sourcesBySyntax(file, dir string) []Source {
	claude, _ := Find("claude-code")
	vscode, _ := Find("vscode")
	codex, _ := Find("codex")
	if filepath.Ext(file) == ".toml" {
		return []Source{{codex, Place{Project, file, []string{"mcp_servers"}, clientconfig.TOML, dir}}}
	}
	return []Source{
		{claude, Place{Project, file, []string{"mcpServers"}, clientconfig.JSON, dir}},
		{vscode, Place{Project, file, []string{"servers"}, clientconfig.JSON, dir}},
	}
}

// Unknown returns the error for an unknown client name. command is the command that got the name.
func Unknown(name, command string) *problem.Problem {
	p := problem.New(abi.ErrNotFound, "unknown client %q", name)
	p.Cause = "known are " + strings.Join(Names(), ", ") + "; for others add a stdio entry that runs: mcpctl mcp --project NAME"
	return p.WithHint("mcpctl %s %s", command, cmp.Or(suggest.Nearest(name, Names()), Names()[0]))
}
