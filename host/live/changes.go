package live

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// addChangeEvents adds an event for each change between two states: objects, modules, and
// the proxymodels of projects. While the daemon starts, nothing has changed.
func (c *Config) addChangeEvents(before, now *State) {
	if before == nil || before.Early || now.Early {
		return
	}
	if before.revision() != now.revision() {
		c.opts.Events.Add(event.Event{Type: event.ConfigReloaded, Change: &event.Change{
			Name: strings.Join(changedObjects(before.Snapshot, now.Snapshot), ", "), From: before.revision(), To: now.revision()}})
	}
	c.addModuleEvents(before, now)
	for name := range now.Projects {
		from, to := before.ModelOf(name), now.ModelOf(name)
		if from != to && from != "" && to != "" {
			c.opts.Events.Add(event.Event{Type: event.ModelSwitched, Project: name, Change: &event.Change{Name: name, From: from, To: to}})
		}
	}
}

// addModuleEvents adds an event for each role whose module has changed, or is no longer available.
func (c *Config) addModuleEvents(before, now *State) {
	if before.stages == now.stages {
		return
	}
	from, to := before.hashes(), now.hashes()
	var names []string
	for name := range from {
		names = append(names, name)
	}
	for name := range to {
		if _, ok := from[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if from[name] == to[name] {
			continue
		}
		e := event.Event{Type: event.StageReloaded, Change: &event.Change{Name: name, From: from[name], To: to[name]}}
		if _, ok := c.Roles().Role(name); !ok {
			e.Type, e.Change.Reason = event.StageFailed, now.whyMissing(name)
		}
		c.opts.Events.Add(e)
	}
}

// whyMissing returns the reason why a role is not available.
func (s *State) whyMissing(name string) string {
	for _, st := range s.rows {
		if st.Name == name && st.Why != "" {
			return st.Why
		}
	}
	return "no module in stages/ has this role any more"
}

// hashes returns the module hash of each role. A role without a loaded module is missing.
func (s *State) hashes() map[string]string {
	m := make(map[string]string)
	for _, st := range s.rows {
		if st.Hash != "" {
			m[st.Name] = st.Hash
		}
	}
	return m
}

// ModelOf returns the name of the proxymodel of a project, "" if it is invalid.
func (s *State) ModelOf(project string) string {
	p, err := s.Plan.Project(project)
	if err != nil {
		return ""
	}
	m, err := p.Model()
	if err != nil {
		return ""
	}
	return m.Name
}

// changedObjects returns the keys of the objects that differ, sorted.
func changedObjects(before, now *store.Snapshot) (keys []string) {
	for _, kind := range []object.Kind{object.KindServer, object.KindProject, object.KindProxyModel, object.KindPrompt, object.KindPromptRequest} {
		was := make(map[object.Key]object.Object)
		for _, o := range before.List(kind) {
			was[o.Key()] = o
		}
		for _, o := range now.List(kind) {
			if old, ok := was[o.Key()]; !ok || !reflect.DeepEqual(old, o) {
				keys = append(keys, o.Key().String())
			}
			delete(was, o.Key())
		}
		for key := range was {
			keys = append(keys, key.String())
		}
	}
	slices.Sort(keys)
	return keys
}
