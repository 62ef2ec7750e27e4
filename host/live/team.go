package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/team"
)

// teamObjects is what addTeam found.
type teamObjects struct {
	set      team.Set
	problems []store.Problem
	faults   map[object.Key]error // of objects that are not used as mcpd has them
}

// addTeam adds the objects of the team server to those of files.
//
// A key that is in both is an error, and the file is used: mcpd must not be able to replace
// what the user has defined. For the same reason a project that is in a file gets no prompts
// of mcpd. A local Server or system prompt of the same name is no error, because it is the
// way to run a program that mcpd names, and to have other texts of the gate.
func (c *Config) addTeam(files *store.Snapshot) (*store.Snapshot, teamObjects) {
	if c.opts.Team == nil {
		return files, teamObjects{}
	}
	t := teamObjects{set: c.opts.Team(), faults: make(map[object.Key]error)}
	for _, err := range t.set.Problems {
		t.problems = append(t.problems, store.Problem{Err: err})
	}
	if len(t.set.Objects) == 0 && t.set.Login == "" {
		return files, t
	}
	var used []object.Object
	withheld := make(map[object.Name]int) // prompts, by their project
	for _, o := range t.set.Objects {
		key := o.Key()
		switch {
		case files.IsLocal(key):
			t.addConflict(files, o)
			continue
		case key.Kind.IsScoped() && files.IsLocal(object.Key{Kind: object.KindProject, Name: key.Project}):
			withheld[key.Project]++
			continue
		}
		if p, ok := o.(*object.Project); ok {
			o = t.withModels(files, p)
		}
		if s, ok := o.(*object.Server); ok && len(s.Spec.Command) > 0 {
			t.fail(key, commandError(s))
		}
		used = append(used, o)
	}
	for _, project := range slices.Sorted(maps.Keys(withheld)) {
		t.problems = append(t.problems, store.Problem{Err: fmt.Errorf("%w: %d prompts of mcpd %s are not used, because their project %q is in a file",
			abi.ErrConflict, withheld[project], t.set.URL, project)})
	}
	return files.WithTeam(used, t.set.Revision), t
}

// fail records a problem of an object.
func (t *teamObjects) fail(key object.Key, err error) {
	t.faults[key] = err
	t.problems = append(t.problems, store.Problem{Err: err})
}

// addConflict records a key that is in a file and in mcpd, unless that is intended.
func (t *teamObjects) addConflict(files *store.Snapshot, o object.Object) {
	key := o.Key()
	if isReplaceable(o) {
		return
	}
	local, _ := files.Get(key)
	t.problems = append(t.problems, store.Problem{Err: t.conflict(key, local.File())}) // no fault: the file is used
}

// conflict is the error of a key that is in a file and in mcpd.
func (t *teamObjects) conflict(key object.Key, file string) error {
	command := fmt.Sprintf("mcpctl delete %s %s", strings.ToLower(string(key.Kind)), key.Name)
	if key.Project != "" {
		command += " --project " + string(key.Project)
	}
	return fmt.Errorf("%w: %s is in %s and in mcpd %s, and the file is used; to delete the file: %s", abi.ErrConflict, key, file, t.set.URL, command)
}

// TeamConflict returns the error of an object of a file if mcpd has the key too and that is not
// intended, nil otherwise.
func (s *State) TeamConflict(key object.Key, file string) error {
	i := slices.IndexFunc(s.team.set.Objects, func(o object.Object) bool { return o.Key() == key })
	if i < 0 || isReplaceable(s.team.set.Objects[i]) {
		return nil
	}
	return s.team.conflict(key, file)
}

// isReplaceable reports whether an object of mcpd is meant to be replaced by one of a file.
func isReplaceable(o object.Object) bool {
	s, ok := o.(*object.Server)
	return ok && len(s.Spec.Command) > 0 || o.Key().Project == object.SystemProject
}

// commandError is the error of a Server of mcpd with a command: an administrator of servers
// could otherwise run any program on the machines of the team.
func commandError(s *object.Server) error {
	const why = "programs that the team server names are not run on this machine; to run it, define a server of this name in a file: mcpctl explain server"
	return &flow.ClientError{Why: why, Err: fmt.Errorf("%w: server %q of mcpd has a command (%s)", abi.ErrDenied, s.Name(), s.Target())}
}

// explainMissing adds a cause and a command to the error of a project that is not in the home. The
// project may be in mcpd.
func (t *teamObjects) explainMissing(project string, err error) error {
	key := object.Key{Kind: object.KindProject, Name: object.Name(project)}
	switch {
	case t.set.URL == "" || key.Check() != nil:
		return err
	case t.set.Login == "":
		return &flow.ClientError{Why: "nobody is logged in to the team server, which may have it: mcpctl login " + t.set.URL, Err: err}
	}
	return &flow.ClientError{Why: "the team server does not have it, or you have no right to view it: mcpctl auth can-i view project " + project, Err: err}
}

// withModels returns a project of mcpd in which ProxyModels that this home does not have are
// replaced by the default one. ProxyModels and stages are files, so the machines of a team may
// have different ones.
func (t *teamObjects) withModels(files *store.Snapshot, p *object.Project) *object.Project {
	var missing []string
	replace := func(ref object.Ref) object.Ref {
		if _, ok := files.ProxyModel(ref.Name); ok {
			return ref
		}
		if name := string(ref.Name); !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		ref.Name = object.DefaultProxyModel
		return ref
	}
	out := *p
	out.Spec.ProxyModel = replace(p.Spec.ProxyModel)
	for _, list := range []*[]object.Override{&out.Spec.Overrides.Prompts, &out.Spec.Overrides.ToolResults, &out.Spec.Overrides.Resources} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Model = replace((*list)[i].Model)
		}
	}
	if len(missing) == 0 {
		return p
	}
	t.fail(p.Key(), fmt.Errorf("%w: project %q of mcpd uses proxymodel %s, which this home does not have, so %q is used in its place; proxymodels are files: mcpctl get proxymodels",
		abi.ErrNotFound, p.Name(), strings.Join(missing, ", "), object.DefaultProxyModel))
	return &out
}

// revisionOf returns the revision of a server, so that its connections end when it changes.
// Connections to servers of mcpd also end when the user logs in or out.
func (s *State) revisionOf(srv *object.Server) string {
	if s.Snapshot.IsTeam(srv.Key()) {
		return srv.Revision() + "@" + s.team.set.Login
	}
	return srv.Revision()
}

// TeamFault returns why a server of mcpd cannot be called, nil if it can.
func (s *State) TeamFault(srv *object.Server) error {
	if err := s.team.faults[srv.Key()]; err != nil {
		return err
	}
	if s.team.set.Login == "" {
		return team.LoginError(s.team.set.URL, fmt.Errorf("%w: server %q is called through mcpd", team.ErrNotLoggedIn, srv.Name()))
	}
	return nil
}

// TeamSet returns the objects of mcpd that the state was made from.
func (s *State) TeamSet() team.Set { return s.team.set }
