package rbac

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/mcpctl/mcpctl/host/object"
)

// alphabet is the letters of generated names. With two letters, globs often match.
const alphabet = "ab"

// accountNames are the names of generated users, groups and service accounts. No object of
// a generated request has one of them.
var accountNames = []object.Name{"ann", "bob", "cy", "dee"}

var (
	accountName = rapid.SampledFrom(accountNames)
	objectName  = rapid.Map(rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 1, 3, -1), func(s string) object.Name { return object.Name(s) })
	pattern     = rapid.StringOfN(rapid.RuneFrom([]rune(alphabet+"**?")), 1, 3, -1)
	anyKind     = rapid.SampledFrom(object.AllKinds())
	anyVerb     = rapid.SampledFrom(object.Verbs())
)

// objects generates accounts and up to twelve bindings, some of which have subjects that do
// not exist.
var objects = rapid.Custom(func(t *rapid.T) Objects {
	o := Select(nil)
	for _, name := range accountNames {
		if drawChance(t, 3, 4, "user exists") {
			o.Users[name] = object.UserSpec{Disabled: drawChance(t, 1, 5, "disabled")}
		}
		if drawChance(t, 2, 3, "service account exists") {
			o.ServiceAccounts[name] = object.ServiceAccountSpec{}
		}
		if drawChance(t, 2, 3, "group exists") {
			o.Groups[name] = object.GroupSpec{Members: members.Draw(t, "members")}
		}
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "bindings") {
		name := object.Name(fmt.Sprintf("b%02d", i))
		o.Bindings[name] = bindings.Draw(t, string(name))
	}
	return o
})

// members generates a subset of the names of accounts.
var members = rapid.Custom(func(t *rapid.T) (list []object.Ref) {
	for _, name := range accountNames {
		if drawChance(t, 1, 2, "member") {
			list = append(list, object.Ref{Name: name})
		}
	}
	return list
})

// bindings generates the spec of a binding. Each list of objects is often absent.
var bindings = rapid.Custom(func(t *rapid.T) object.RbacBindingSpec {
	spec := object.RbacBindingSpec{
		Subjects: rapid.SliceOfN(bindingSubject, 1, 3).Draw(t, "subjects"),
		Verbs:    rapid.SliceOfNDistinct(anyVerb, 1, 3, rapid.ID).Draw(t, "verbs"),
	}
	if drawChance(t, 1, 3, "kinds") {
		spec.Kinds = rapid.SliceOfNDistinct(anyKind, 1, 4, rapid.ID).Draw(t, "kinds")
	}
	if drawChance(t, 1, 3, "names") {
		spec.Names = rapid.SliceOfN(pattern, 1, 2).Draw(t, "names")
	}
	if drawChance(t, 1, 3, "projects") {
		spec.Projects = rapid.SliceOfN(pattern, 1, 2).Draw(t, "projects")
	}
	return spec
})

// drawChance returns true in n of m cases.
func drawChance(t *rapid.T, n, m int, label string) bool {
	cases := make([]bool, m)
	for i := range n {
		cases[i] = true
	}
	return rapid.SampledFrom(cases).Draw(t, label)
}

var bindingSubject = rapid.Custom(func(t *rapid.T) object.RbacSubject {
	kinds := []object.Kind{object.KindUser, object.KindGroup, object.KindServiceAccount}
	return object.RbacSubject{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Ref: object.Ref{Name: accountName.Draw(t, "name")}}
})

// call is a Subject with its Request.
type call struct {
	subject Subject
	request Request
}

// calls generates one call. A third of the requests have no project.
var calls = rapid.Custom(func(t *rapid.T) call {
	kinds := []object.Kind{object.KindUser, object.KindUser, object.KindServiceAccount}
	c := call{
		Subject{rapid.SampledFrom(kinds).Draw(t, "kind of subject"), accountName.Draw(t, "subject")},
		Request{Verb: anyVerb.Draw(t, "verb"), Kind: anyKind.Draw(t, "kind"), Name: objectName.Draw(t, "name")},
	}
	if drawChance(t, 2, 3, "in a project") {
		c.request.Project = objectName.Draw(t, "project")
	}
	return c
})

// expand returns the globs without ? that match the same texts of the alphabet.
func expand(glob string) []string {
	before, after, ok := strings.Cut(glob, "?")
	if !ok {
		return []string{glob}
	}
	var out []string
	for _, letter := range alphabet {
		out = append(out, expand(before+string(letter)+after)...)
	}
	return out
}
