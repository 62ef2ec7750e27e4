package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
)

// clientFile is one object of a client's file that holds entries.
type clientFile struct {
	client string
	scope  string
	file   string
	path   []string
	syntax clientconfig.Syntax
}

// clientFiles lists where clients keep entries that apply in this directory.
func (e *exam) clientFiles() []clientFile {
	dir, err := os.Getwd()
	if err != nil {
		dir = e.F.Env("HOME")
	}
	user := filepath.Join(e.F.Env("HOME"), ".claude.json")
	return []clientFile{
		{"claude-code", "local", user, []string{"projects", dir, "mcpServers"}, clientconfig.JSON},
		{"claude-code", "project", filepath.Join(dir, ".mcp.json"), []string{"mcpServers"}, clientconfig.JSON},
		{"claude-code", "user", user, []string{"mcpServers"}, clientconfig.JSON},
	}
}

// clientEntry is an entry as far as it is looked at.
type clientEntry struct {
	in   clientFile
	name string

	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	URL     string            `json:"url"`
}

// project returns the project that an entry leads to, "" for an entry of another
// program.
func (c clientEntry) project() string {
	base := strings.TrimSuffix(filepath.Base(c.Command), ".exe")
	if i := slices.Index(c.Args, "--project"); base == "mcpctl" && len(c.Args) > 0 && c.Args[0] == "mcp" && i >= 0 && i+1 < len(c.Args) {
		return c.Args[i+1]
	}
	if u, err := url.Parse(c.URL); err == nil && isLoopback(u.Hostname()) {
		if rest, ok := strings.CutPrefix(u.Path, "/projects/"); ok && strings.HasSuffix(rest, "/mcp") {
			return strings.TrimSuffix(rest, "/mcp")
		}
	}
	return ""
}

func isLoopback(name string) bool { return name == "localhost" || name == "127.0.0.1" || name == "::1" }

// checkClients checks the entries of all clients.
func (e *exam) checkClients(ctx context.Context, s api.Service) {
	projects, err := s.Objects(ctx, "project", "")
	if err != nil {
		return // checkNames has reported it
	}
	servers := make(map[string][]string) // of projects
	for _, p := range projects {
		var d api.ProjectDetails
		_ = json.Unmarshal(p.Details, &d) // one without details is reported as a file that is wrong
		servers[p.Name] = d.Servers
	}
	byClient := make(map[string][]clientEntry)
	var names []string
	for _, in := range e.clientFiles() {
		entries, exists := e.readEntries(in)
		if exists && !slices.Contains(names, in.client) {
			names = append(names, in.client)
		}
		byClient[in.client] = append(byClient[in.client], entries...)
	}
	for _, name := range names {
		e.checkClient(name, byClient[name], servers)
	}
	if len(names) == 0 && len(projects) > 0 {
		e.add(levelWarning, "clients", "mcpctl connect claude-code", "no file of a known client was found: no client uses this home")
	}
}

// readEntries reads the entries of one file; exists is false if there is no file.
func (e *exam) readEntries(in clientFile) (list []clientEntry, exists bool) {
	f, err := clientconfig.Read(in.file, in.syntax)
	if err == nil && !f.Existed {
		return nil, false
	}
	var entries []clientconfig.Entry
	if err == nil {
		entries, err = f.Entries(in.path...)
	}
	if err != nil {
		check := "client/" + in.client
		if !slices.ContainsFunc(e.findings, func(f Finding) bool { return f.Check == check && f.Level == levelError }) { // one file, several places
			e.fail(check, clientconfig.InFile(in.file, err), "${EDITOR:-vi} "+problem.Arg(in.file))
		}
		return nil, true
	}
	for _, raw := range entries {
		c := clientEntry{in: in, name: raw.Name}
		if json.Unmarshal(raw.Raw, &c) == nil { // an entry of another form is not ours
			list = append(list, c)
		}
	}
	return list, true
}

// checkClient checks the entries of one client against the projects of the home.
func (e *exam) checkClient(client string, entries []clientEntry, servers map[string][]string) {
	check := "client/" + client
	first := make(map[string]clientEntry) // by project
	for _, c := range entries {
		project := c.project()
		if project == "" {
			continue
		}
		if before, doubled := first[project]; doubled {
			e.add(levelWarning, check, c.disconnect(project), "project %s is there twice: entry %s (%s) and entry %s (%s)", project, before.name, before.in.scope, c.name, c.in.scope)
			continue
		}
		first[project] = c
		e.checkEntry(check, c, project, servers)
	}
	for _, c := range entries {
		if c.project() != "" {
			continue
		}
		for project := range first {
			if slices.Contains(servers[project], c.name) {
				e.add(levelWarning, check, connectCommand(client, project, c.in.scope), "server %s is there twice: entry %s (%s), and within project %s", c.name, c.name, c.in.scope, project)
			}
		}
	}
	if len(first) == 0 && len(servers) > 0 {
		e.add(levelWarning, check, "mcpctl connect "+client, "has no entry of this home")
	}
}

// checkEntry checks that an entry leads to a project of this home.
func (e *exam) checkEntry(check string, c clientEntry, project string, servers map[string][]string) {
	connect := connectCommand(c.in.client, project, c.in.scope)
	if c.URL == "" {
		if other := e.homeOf(c); other != e.home {
			e.add(levelWarning, check, "MCPCTL_HOME="+problem.Arg(e.home)+" "+connect, "entry %s uses the home %s, this is %s", c.name, other, e.home)
			return
		}
		if _, err := exec.LookPath(c.Command); err != nil {
			e.add(levelError, check, connect, "entry %s starts %s, which cannot be run", c.name, c.Command)
			return
		}
	}
	if _, ok := servers[project]; !ok {
		e.add(levelError, check, c.disconnect(project), "entry %s leads to project %s, which does not exist", c.name, project)
		return
	}
	if c.URL != "" && !e.isAddress(c.URL) {
		e.add(levelWarning, check, connect+" --http", "entry %s leads to %s, which is not the address of the setting mcplocal-url", c.name, c.URL)
		return
	}
	e.add(levelOK, check, "", "entry %s (%s) leads to project %s", c.name, c.in.scope, project)
}

// homeOf returns the home that an entry runs mcpctl with.
func (e *exam) homeOf(c clientEntry) string {
	if home := c.Env["MCPCTL_HOME"]; home != "" {
		return filepath.Clean(home)
	}
	return filepath.Join(e.F.Env("HOME"), ".mcpctl")
}

// isAddress reports whether a URL has the host of the setting mcplocal-url.
func (e *exam) isAddress(text string) bool {
	settings, err := e.F.Settings()
	u, invalid := url.Parse(text)
	return err == nil && invalid == nil && u.Host == settings.Listen()
}

func (c clientEntry) disconnect(project string) string {
	return fmt.Sprintf("mcpctl disconnect %s --project %s --scope %s", c.in.client, problem.Arg(project), c.in.scope)
}

func connectCommand(client, project, scope string) string {
	return fmt.Sprintf("mcpctl connect %s --project %s --scope %s", client, problem.Arg(project), scope)
}
