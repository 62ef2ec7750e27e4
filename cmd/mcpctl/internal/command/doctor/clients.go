package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/host/object"
)

// clientEntry is one entry of a client's file.
type clientEntry struct {
	client clients.Client
	place  clients.Place
	name   string
	server clients.Server
}

// clientExam checks the entries of clients against the home.
type clientExam struct {
	*exam
	env      clients.Env
	projects map[string]api.ProjectDetails
	servers  *clients.Servers
	lookUp   func(project string) error // of the service
}

// checkClients checks the entries of all clients that apply to this directory.
func (e *exam) checkClients(ctx context.Context, s api.Service) {
	objects, err := s.Objects(ctx, "project", "")
	if err != nil {
		return // checkNames has reported it
	}
	servers, err := clients.LoadServers(e.home, e.F.Env)
	if err != nil {
		if !e.isModeReported(err.Error()) {
			e.fail("clients", err, "mcpctl status")
		}
		return
	}
	env, err := e.environment()
	if err != nil {
		e.fail("clients", err, "mcpctl doctor")
		return
	}
	lookUp := func(project string) error {
		_, err := s.Object(ctx, "project", "", project)
		return err
	}
	x := clientExam{e, env, make(map[string]api.ProjectDetails), servers, lookUp}
	for _, p := range objects {
		var d api.ProjectDetails
		_ = json.Unmarshal(p.Details, &d) // missing details are reported as an invalid file
		x.projects[p.Name] = d
	}
	x.checkAll()
}

func (x clientExam) checkAll() {
	exists, connected := false, false
	var without []clients.Client // clients without an entry of this home
	var own []bool               // whether each of them has other entries
	for _, c := range clients.All() {
		entries, found := x.readEntries(c)
		exists = exists || found
		switch {
		case x.checkClient(entries):
			connected = true
		case found:
			without, own = append(without, c), append(own, len(entries) > 0)
		}
		x.checkHooks(c)
	}
	if len(x.projects) == 0 {
		return
	}
	if !exists {
		x.add(levelWarning, "clients", x.connectCommand("claude-code"), "no file of a supported client was found: no client uses this home")
	}
	for i, c := range without {
		level := levelWarning
		if connected && !own[i] {
			level = levelOK // a client that is used without MCP servers
		}
		x.add(level, "client/"+c.Name, x.connectCommand(c.Name), "has no entry of this home")
	}
}

// connectCommand returns the command that adds a project of the home to a client's file. The
// project's
// name is omitted if there is only one.
func (x clientExam) connectCommand(client string) string {
	command := "mcpctl connect " + client
	if len(x.projects) > 1 {
		command += " --project " + problem.Arg(slices.Min(slices.Collect(maps.Keys(x.projects))))
	}
	return command
}

// environment returns the environment that determines the paths of client files. If the working
// directory does not exist, the home directory replaces it.
func (e *exam) environment() (clients.Env, error) {
	home, err := e.F.UserHome()
	if err != nil {
		return clients.Env{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = home
	}
	return clients.Env{Home: home, Dir: dir, OS: runtime.GOOS, Var: e.F.Env}, nil
}

// readEntries reads the entries in all files of a client; found is false if no file exists.
func (x clientExam) readEntries(c clients.Client) (list []clientEntry, found bool) {
	var invalid, read []string
	for _, at := range c.Places(x.env) {
		f, err := clientconfig.Read(at.File, at.Syntax)
		place := at.File + "\x00" + strings.Join(at.Path, "\x00")
		if err == nil && !f.Existed || slices.Contains(invalid, at.File) || slices.Contains(read, place) {
			continue // in the home directory, the user's file may also be the project's file
		}
		read = append(read, place)
		found = true
		var entries []clientconfig.Entry
		if err == nil {
			entries, err = f.Entries(at.Path...)
		}
		if err != nil {
			invalid = append(invalid, at.File) // the file may contain several places
			x.fail("client/"+c.Name, clientconfig.InFile(at.File, err), "${EDITOR:-vi} "+problem.Arg(at.File))
			continue
		}
		for _, raw := range entries {
			// An entry that cannot be read is not an entry of mcpctl.
			server, err := c.Read(raw, at)
			if err != nil {
				server = clients.Server{}
			}
			list = append(list, clientEntry{c, at, raw.Name, server})
		}
	}
	return list, found
}

// checkClient checks the entries of one client against the projects of the home and reports whether
// one of them uses the home.
func (x clientExam) checkClient(entries []clientEntry) (connected bool) {
	entries = x.dropUnused(entries)
	first := make(map[string]clientEntry) // by project
	for _, c := range entries {
		project := c.server.Project()
		switch before, doubled := first[project]; {
		case project == "" || !x.isOfHome(c, project):
		case doubled:
			x.add(levelWarning, c.check(), c.command("disconnect", project), "project %s is configured twice: entry %s (%s) and entry %s (%s)", project, before.name, before.place.Scope, c.name, c.place.Scope)
		default:
			first[project] = c
			x.checkEntry(c, project)
		}
	}
	x.checkRules(first)
	for _, c := range entries {
		x.checkDoubled(c, first)
		connected = connected || x.isDirect(c)
	}
	x.checkShared(first)
	return connected || len(first) > 0
}

// checkHooks reports hooks of this home whose project does not exist, or is not connected. If there
// are none, it says so for one connected project.
func (x clientExam) checkHooks(c clients.Client) {
	if c.HookPlaces(x.env) == nil {
		return
	}
	hooked := false
	for _, h := range c.Hooks(x.env) {
		if h.Home(x.env, x.home) != x.home {
			continue
		}
		hooked = true
		if _, exists := x.projects[h.Project]; !exists {
			x.add(levelError, "client/"+c.Name, "mcpctl disconnect "+c.Name+" --hook --scope "+h.Place.Scope, "the hook in %s uses project %s, which does not exist: results of the client's own tools are unchanged", h.Place.File, h.Project)
		}
	}
	for _, h := range c.HooksWithoutEntry(x.env, x.home) {
		if _, exists := x.projects[h.Project]; exists {
			x.add(levelWarning, "client/"+c.Name, "mcpctl connect "+c.Name+" --project "+problem.Arg(h.Project), "%s", h.WithoutEntry(c))
		}
	}
	if hooked {
		return
	}
	for _, project := range slices.Sorted(maps.Keys(x.projects)) {
		if x.projects[project].ProxyMode != object.ModeDirect && c.IsConnected(x.env, x.home, project) {
			x.add(levelOK, "client/"+c.Name, "mcpctl connect "+c.Name+" --project "+problem.Arg(project)+" --hook", "has no hook: results of its own tools, such as Bash, do not go through project %s", project)
			return
		}
	}
}

// dropUnused removes the entries that the client ignores in this directory because an entry of a
// narrower scope has the same name.
func (x clientExam) dropUnused(entries []clientEntry) []clientEntry {
	var used []clientEntry
	for _, c := range entries {
		i := slices.IndexFunc(used, func(o clientEntry) bool { return c.client.OneByName && o.name == c.name })
		switch {
		case i < 0:
			used = append(used, c)
		case c.server.IsMcpctl():
			x.add(levelOK, c.check(), "", "entry %s (%s) is not used in this directory: entry %s (%s) has the same name", c.name, c.place.Scope, c.name, used[i].place.Scope)
		}
	}
	return used
}

// isOfHome reports whether an entry of mcpctl uses this home. It adds a finding if it does not.
func (x clientExam) isOfHome(c clientEntry, project string) bool {
	other := c.server.Home(c.place, x.env, x.home)
	if other == x.home {
		return true
	}
	command := "MCPCTL_HOME=" + problem.Arg(other) + " mcpctl doctor"
	if _, ok := x.projects[project]; ok {
		command = "MCPCTL_HOME=" + problem.Arg(x.home) + " " + c.command("connect", project)
	}
	x.add(levelWarning, c.check(), command, "entry %s uses the home %s instead of %s", c.name, other, x.home)
	return false
}

// checkEntry checks that an entry of this home works.
func (x clientExam) checkEntry(c clientEntry, project string) {
	details, exists := x.projects[project]
	_, missing := exec.LookPath(c.server.Command)
	switch isHTTP := c.server.URL != ""; {
	case !exists:
		why, command := "which does not exist", c.command("disconnect", project)
		if x.settings != nil && x.settings.Get("mcpd-url") != "" { // the entry is right once the user can view the project
			p := problem.From(x.lookUp(project))
			why, command = "which is not found: "+p.Cause, p.Hint
		}
		x.add(levelError, c.check(), command, "entry %s connects to project %s, %s", c.name, project, why)
	case details.ProxyMode == object.ModeDirect:
		x.add(levelWarning, c.check(), c.command("connect", project), "entry %s (%s) runs mcpctl, but project %s has proxyMode direct: its servers are not in the file", c.name, c.place.Scope, project)
	case !isHTTP && missing != nil:
		x.add(levelError, c.check(), c.command("connect", project), "entry %s starts %s, which cannot be run", c.name, c.server.Command)
	case isHTTP && !x.isAddress(c.server.URL):
		x.add(levelWarning, c.check(), c.command("connect", project)+" --http", "entry %s connects to %s, which is not the address of the setting mcplocal-url", c.name, c.server.URL)
	case c.server.Disabled:
		x.add(levelWarning, c.check(), c.command("connect", project), "entry %s (%s) of project %s is disabled", c.name, c.place.Scope, project)
	default:
		x.add(levelOK, c.check(), "", "entry %s (%s) connects to project %s", c.name, c.place.Scope, project)
		x.checkToolCount(c, project, details)
	}
}

// checkToolCount reports a project with more tools than the client accepts.
func (x clientExam) checkToolCount(c clientEntry, project string, details api.ProjectDetails) {
	if most := c.client.MaxTools; most > 0 && len(details.Tools) > most {
		x.add(levelWarning, c.check(), "mcpctl get tools --project "+problem.Arg(project), "the servers of project %s list %d tools, and %s accepts about %d of all its servers: use fewer servers, or the controller dispatch",
			project, len(details.Tools), c.client.Title, most)
	}
}

// checkDoubled reports a server that the client runs both itself and through a project.
func (x clientExam) checkDoubled(c clientEntry, connected map[string]clientEntry) {
	if c.server.IsMcpctl() || c.server.Disabled {
		return
	}
	for _, project := range slices.Sorted(maps.Keys(connected)) {
		by, d := connected[project], x.projects[project]
		if d.ProxyMode == object.ModeDirect {
			continue
		}
		if name, ok := x.servers.Match(c.server, d.Servers); ok {
			wide := c
			if by.place.Covers(c.place) {
				wide = by
			}
			x.add(levelWarning, c.check(), wide.command("connect", project), "server %s is configured twice: in entry %s (%s) and in project %s", name, c.name, c.place.Scope, project)
		} else if slices.Contains(d.Servers, c.name) {
			x.add(levelWarning, c.check(), "mcpctl describe server "+problem.Arg(c.name), "entry %s (%s) has the name of a server of project %s, but different settings: the client may have its tools twice", c.name, c.place.Scope, project)
		}
	}
}

// checkRules reports permission rules that protect a server's tools but not the tools that the
// client
// gets through a project.
func (x clientExam) checkRules(connected map[string]clientEntry) {
	unread := make(map[string]bool)
	for _, project := range slices.Sorted(maps.Keys(connected)) {
		c, d := connected[project], x.projects[project]
		if d.ProxyMode == object.ModeDirect {
			continue
		}
		stale, skipped := c.client.StaleRules(x.env, clients.NewServed(c.name, project, d))
		for _, err := range skipped {
			p := problem.From(err)
			if !unread[p.At] {
				x.add(levelWarning, c.check(), "", "permission rules in %s are not checked: %s", p.At, p.Message)
			}
			unread[p.At] = true
		}
		for _, r := range stale {
			if r.Protects() {
				x.add(levelWarning, c.check(), "${EDITOR:-vi} "+problem.Arg(r.File), "the %s rule %s of %s does not apply to project %s, whose tools have different names: add %s", r.List, r.Text, r.File, project, r.New)
			}
		}
	}
}

// checkShared reports servers that belong to several connected projects.
func (x clientExam) checkShared(connected map[string]clientEntry) {
	running := maps.Clone(connected)
	maps.DeleteFunc(running, func(project string, c clientEntry) bool {
		return c.server.Disabled || x.projects[project].ProxyMode == object.ModeDirect
	})
	names := slices.Sorted(maps.Keys(running))
	for i, a := range names {
		for _, b := range names[i+1:] {
			if shared := clients.SharedServers(x.projects[a], x.projects[b]); shared != "" {
				c := running[b]
				x.add(levelWarning, c.check(), c.command("disconnect", b), "%s in project %s (%s) and in project %s (%s): the client has these tools twice", shared, a, running[a].place.Scope, b, c.place.Scope)
			}
		}
	}
}

// isDirect reports whether an entry runs a server of a project with proxyMode "direct".
func (x clientExam) isDirect(c clientEntry) bool {
	for _, d := range x.projects {
		if _, ok := x.servers.Match(c.server, d.Servers); ok && d.ProxyMode == object.ModeDirect {
			return true
		}
	}
	return false
}

// isAddress reports whether a URL has the host of the setting mcplocal-url.
func (e *exam) isAddress(text string) bool {
	settings, err := e.F.Settings()
	u, invalid := url.Parse(text)
	return err == nil && invalid == nil && u.Host == settings.Listen()
}

// check returns the name of the check for findings about the entry.
func (c clientEntry) check() string { return "client/" + c.client.Name }

// command returns a command that changes the project's entry at the place of this one.
func (c clientEntry) command(verb, project string) string {
	return fmt.Sprintf("mcpctl %s %s --project %s --scope %s", verb, c.client.Name, problem.Arg(project), c.place.Scope)
}
