package rbac

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpctl/mcpctl/host/object"
)

// with returns Objects with other bindings.
func (o Objects) with(bindings map[object.Name]object.RbacBindingSpec) Objects {
	o.Bindings = bindings
	return o
}

// drawCalls generates 20 calls.
func drawCalls(t *rapid.T) []call { return rapid.SliceOfN(calls, 20, 20).Draw(t, "calls") }

// Each binding allows the same alone and beside others: Explain names exactly those that
// allow a request alone.
func TestBindingsAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objects.Draw(t, "objects")
		all := Compile(o)
		alone := make(map[object.Name]*Policy)
		for name, spec := range o.Bindings {
			alone[name] = Compile(o.with(map[object.Name]object.RbacBindingSpec{name: spec}))
		}
		for _, c := range drawCalls(t) {
			var want []string
			for _, name := range slices.Sorted(maps.Keys(alone)) {
				if alone[name].Allows(c.subject, c.request) {
					want = append(want, string(name))
				}
			}
			if got := all.Explain(c.subject, c.request); !slices.Equal(got, want) {
				t.Fatalf("%+v: explained by %q, alone allow %q", c, got, want)
			}
		}
	})
}

// A binding never takes a right away.
func TestBindingsOnlyAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objects.Draw(t, "objects")
		more := maps.Clone(o.Bindings)
		more["new"] = bindings.Draw(t, "new")
		before, after := Compile(o), Compile(o.with(more))
		for _, c := range drawCalls(t) {
			if before.Allows(c.subject, c.request) && !after.Allows(c.subject, c.request) {
				t.Fatalf("%+v: denied by a further binding %+v", c, more["new"])
			}
		}
	})
}

// A binding without its kinds, names or projects allows at least what it allows with them.
func TestAbsentListsMatchMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objects.Draw(t, "objects")
		before := Compile(o)
		wider := make(map[object.Name]object.RbacBindingSpec)
		for name, spec := range o.Bindings {
			switch rapid.SampledFrom([]string{"kinds", "names", "projects"}).Draw(t, "without") {
			case "kinds":
				spec.Kinds = nil
			case "names":
				spec.Names = nil
			case "projects":
				spec.Projects = nil
			}
			wider[name] = spec
		}
		after := Compile(o.with(wider))
		for _, c := range drawCalls(t) {
			if before.Allows(c.subject, c.request) && !after.Allows(c.subject, c.request) {
				t.Fatalf("%+v: denied without a list", c)
			}
		}
	})
}

// Users who are disabled, and accounts that do not exist, are allowed nothing.
func TestDisabledUsersAreAllowedNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objects.Draw(t, "objects")
		p := Compile(o)
		for _, c := range drawCalls(t) {
			user, isUser := o.Users[c.subject.Name]
			_, isService := o.ServiceAccounts[c.subject.Name]
			exists := c.subject.Kind == object.KindUser && isUser && !user.Disabled || c.subject.Kind == object.KindServiceAccount && isService
			if !exists && p.Allows(c.subject, c.request) {
				t.Fatalf("%+v: allowed", c)
			}
		}
	})
}

// A binding with projects allows nothing on Objects that belong to no project, and a Project
// that the caller adds to such a request changes nothing, unless the Object is used in it.
func TestProjectOfRequestIsIgnored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Compile(objects.Draw(t, "objects"))
		for _, c := range drawCalls(t) {
			r := c.request
			if r.Kind.IsScoped() || r.Verb == object.VerbRun || r.Verb == object.VerbCache {
				continue
			}
			r.Project = ""
			if got, want := p.Explain(c.subject, c.request), p.Explain(c.subject, r); !slices.Equal(got, want) {
				t.Fatalf("%+v: allowed by %q, without the project by %q", c, got, want)
			}
		}
	})
}
