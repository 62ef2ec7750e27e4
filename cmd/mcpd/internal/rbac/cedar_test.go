package rbac

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	cedar "github.com/cedar-policy/cedar-go"
	"pgregory.net/rapid"

	"github.com/mcpctl/mcpctl/host/object"
)

// callsPerPolicy is the number of decisions that are compared for each generated Policy.
// rapid generates 100 of them, or as many as -rapid.checks says.
const callsPerPolicy = 200

// TestPolicyAgreesWithCedar compares decisions, and the bindings that explain them, with
// those of Cedar, into whose language the bindings are translated. For a million decisions:
//
//	go test ./cmd/mcpd/internal/rbac -run Cedar -v -rapid.checks=5000
func TestPolicyAgreesWithCedar(t *testing.T) {
	decisions, allowed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		o := objects.Draw(t, "objects")
		policy, oracle := Compile(o), newOracle(t, o)
		for _, c := range rapid.SliceOfN(calls, callsPerPolicy, callsPerPolicy).Draw(t, "calls") {
			want := oracle.explain(t, c)
			if got := policy.Explain(c.subject, c.request); !slices.Equal(got, want) {
				t.Fatalf("%+v: allowed by %q, Cedar says %q; policies:\n%s", c, got, want, oracle.text)
			}
			if got := policy.Allows(c.subject, c.request); got != (len(want) > 0) {
				t.Fatalf("%+v: Allows is %v, but Explain is %q", c, got, want)
			}
			decisions++
			if len(want) > 0 {
				allowed++
			}
		}
	})
	t.Logf("%d decisions equal, %d of them allow", decisions, allowed)
	if !t.Failed() && (allowed*50 < decisions || allowed*50 > decisions*49) {
		t.Errorf("%d of %d decisions allow: nearly all are the same", allowed, decisions)
	}
}

// oracle decides by Cedar.
type oracle struct {
	policies *cedar.PolicySet
	accounts cedar.EntityMap
	text     string // of all policies
}

// onlyEnabled denies what disabled users, and accounts that do not exist, may not do.
const onlyEnabled = `forbid (principal, action, resource) unless { principal has enabled && principal.enabled };`

func newOracle(t *rapid.T, o Objects) *oracle {
	c := &oracle{policies: cedar.NewPolicySet(), accounts: actions()}
	c.add(t, "only-enabled", onlyEnabled)
	for name, spec := range o.Bindings {
		c.add(t, string(name), permit(spec))
	}
	for name, user := range o.Users {
		var parents []cedar.EntityUID
		for group, spec := range o.Groups {
			if slices.ContainsFunc(spec.Members, func(m object.Ref) bool { return m.Name == name }) {
				parents = append(parents, uid(object.KindGroup, group))
			}
		}
		c.addAccount(uid(object.KindUser, name), !user.Disabled, parents...)
	}
	for name := range o.ServiceAccounts {
		c.addAccount(uid(object.KindServiceAccount, name), true)
	}
	return c
}

func (c *oracle) add(t *rapid.T, id, text string) {
	var p cedar.Policy
	if err := p.UnmarshalCedar([]byte(text)); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	c.policies.Add(cedar.PolicyID(id), &p)
	c.text += text + "\n"
}

func (c *oracle) addAccount(id cedar.EntityUID, enabled bool, parents ...cedar.EntityUID) {
	attributes := cedar.NewRecord(cedar.RecordMap{"enabled": cedar.Boolean(enabled)})
	c.accounts[id] = cedar.Entity{UID: id, Parents: cedar.NewEntityUIDSet(parents...), Attributes: attributes}
}

func uid(kind object.Kind, name object.Name) cedar.EntityUID {
	return cedar.NewEntityUID(cedar.EntityType(kind), cedar.String(name))
}

func verbUID(v object.Verb) cedar.EntityUID { return cedar.NewEntityUID("Action", cedar.String(v)) }

// actions returns the verbs, each of which is in those that imply it.
func actions() cedar.EntityMap {
	m := make(cedar.EntityMap)
	for _, v := range object.Verbs() {
		parents := []cedar.EntityUID{verbUID(object.VerbAdmin)}
		if v == object.VerbView {
			parents = append(parents, verbUID(object.VerbEdit))
		}
		if v == object.VerbAdmin {
			parents = nil
		}
		m[verbUID(v)] = cedar.Entity{UID: verbUID(v), Parents: cedar.NewEntityUIDSet(parents...)}
	}
	return m
}

// permit returns the policy of a binding.
func permit(spec object.RbacBindingSpec) string {
	var b strings.Builder
	verbs := join(", ", spec.Verbs, func(v object.Verb) string { return fmt.Sprintf("Action::%q", v) })
	fmt.Fprintf(&b, "permit (principal, action in [%s], resource)\n", verbs)
	fmt.Fprintf(&b, "when { %s }", join(" || ", spec.Subjects, func(s object.RbacSubject) string {
		if s.Kind == object.KindGroup {
			return fmt.Sprintf("principal in Group::%q", s.Name)
		}
		return fmt.Sprintf("principal == %s::%q", s.Kind, s.Name)
	}))
	if spec.Kinds != nil {
		fmt.Fprintf(&b, "\nwhen { %s }", join(" || ", spec.Kinds, func(k object.Kind) string { return "resource is " + string(k) }))
	}
	if spec.Names != nil {
		fmt.Fprintf(&b, "\nwhen { %s }", like("resource.name", spec.Names))
	}
	if spec.Projects != nil {
		fmt.Fprintf(&b, "\nwhen { resource is Project && (%s)", like("resource.name", spec.Projects))
		fmt.Fprintf(&b, "\n    || (resource is Prompt || resource is PromptRequest) && context has project && (%s)", like("context.project", spec.Projects))
		fmt.Fprintf(&b, "\n    || !(resource is Project) && [Action::\"run\", Action::\"cache\"].contains(action) && context has project && (%s) }", like("context.project", spec.Projects))
	}
	return b.String() + ";"
}

// like returns the condition that a value matches a glob. Cedar has no wildcard for one
// character.
func like(value string, globs []string) string {
	var all []string
	for _, g := range globs {
		all = append(all, expand(g)...)
	}
	return join(" || ", all, func(g string) string { return fmt.Sprintf("%s like %q", value, g) })
}

func join[T any](separator string, list []T, text func(T) string) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = text(v)
	}
	return strings.Join(texts, separator)
}

// explain returns the bindings that allow a call, sorted.
func (c *oracle) explain(t *rapid.T, to call) []string {
	r := to.request
	resource := cedar.Entity{UID: uid(r.Kind, r.Name), Attributes: cedar.NewRecord(cedar.RecordMap{"name": cedar.String(r.Name)})}
	context := make(cedar.RecordMap)
	if r.Project != "" {
		context["project"] = cedar.String(r.Project)
	}
	decision, diagnostic := cedar.Authorize(c.policies, entities{c.accounts, resource}, cedar.Request{
		Principal: uid(to.subject.Kind, to.subject.Name), Action: verbUID(r.Verb), Resource: resource.UID, Context: cedar.NewRecord(context)})
	if len(diagnostic.Errors) > 0 {
		t.Fatalf("%+v: Cedar fails: %v", to, diagnostic.Errors)
	}
	if decision == cedar.Deny {
		return nil
	}
	var bindings []string
	for _, reason := range diagnostic.Reasons {
		bindings = append(bindings, string(reason.PolicyID))
	}
	slices.Sort(bindings)
	return bindings
}

// entities are the accounts, the verbs and the object of one request.
type entities struct {
	accounts cedar.EntityMap
	resource cedar.Entity
}

// Get implements cedar's EntityGetter.
func (e entities) Get(id cedar.EntityUID) (cedar.Entity, bool) {
	if id == e.resource.UID {
		return e.resource, true
	}
	one, ok := e.accounts[id]
	return one, ok
}
