package web_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

// storedKinds are the kinds of mcpd with the names of an object that exists in the team, and
// its manifest.
var storedKinds = []struct {
	kind          object.Kind
	project, name string
	spec          string
	managed       bool // changed by administrators only
}{
	{object.KindServer, "", "unused", `{url: "http://127.0.0.1:2/"}`, false},
	{object.KindProject, "", "other", "{gated: false}", false},
	{object.KindPrompt, "p", "a", "{content: new}", false},
	{object.KindPromptRequest, "p", "r", "{content: new}", false},
	{object.KindUser, "", "nobody", "{email: a@example.org}", true},
	{object.KindGroup, "", "editors", "{members: []}", true},
	{object.KindServiceAccount, "", "sa-robot", "{description: new}", true},
	{object.KindRbacBinding, "", "robots", "{subjects: [{user: nobody}], verbs: [view]}", true},
}

// Each verb allows on its kind what it says, and nothing on others.
func TestVerbsOnKinds(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		accounts := new(strings.Builder)
		account := func(verb object.Verb, kind object.Kind) string {
			return strings.ToLower(fmt.Sprintf("sa-%s-%s", verb, kind))
		}
		for _, verb := range object.Verbs() {
			for _, k := range storedKinds {
				name := account(verb, k.kind)
				fmt.Fprintf(accounts, "---\nkind: ServiceAccount\nmetadata: {name: %s}\n---\nkind: RbacBinding\nmetadata: {name: %s}\nspec: {subjects: [{serviceAccount: %s}], verbs: [%s], kinds: [%s]}\n", name, name, name, verb, k.kind)
			}
		}
		s.Apply(t, accounts.String())
		for _, verb := range object.Verbs() {
			for i, own := range storedKinds {
				token := s.Token(t, account(verb, own.kind))
				for _, k := range []int{i, (i + 1) % len(storedKinds)} {
					target := storedKinds[k]
					may := func(verbs ...object.Verb) bool { // the caller's verb is one of verbs, and its kind is the target's
						if target.managed && !slices.Contains(verbs, object.VerbView) {
							verbs = nil
						}
						return k == i && (verb == object.VerbAdmin || slices.Contains(verbs, verb))
					}
					status := func(allowed bool, ok, denied int) int {
						if allowed {
							return ok
						}
						return denied
					}
					// A binding to edit accounts is of no effect: who could edit them could get all rights.
					sees := may(object.VerbView, object.VerbEdit)
					path := "/api/v1/" + strings.ToLower(string(target.kind)) + "s"
					one := path + "/" + target.name + "?project=" + target.project
					manifest := func(name string) string {
						return mcpdtest.ApplyBody(fmt.Sprintf("kind: %s\nmetadata: {name: %s%s}\nspec: %s\n", target.kind, name, inProject(target.project), target.spec), mcpdtest.DryRun)
					}
					who := fmt.Sprintf("%s on %s, %s", verb, own.kind, target.kind)
					checkStatus(t, who, "get", s.Do(t, token, "GET", one, ""), status(sees, 200, 404))
					checkStatus(t, who, "edit", s.Do(t, token, "POST", "/api/v1/apply", manifest(target.name)), status(may(object.VerbEdit), 200, 403))
					checkStatus(t, who, "create", s.Do(t, token, "POST", "/api/v1/apply", manifest("new")), status(may(object.VerbCreate), 200, 403))
					// The version does not match, so that the object is kept: 412 means that the caller may delete it.
					checkStatus(t, who, "delete", s.Do(t, token, "DELETE", one, "", "If-Match", `"0"`), status(may(object.VerbDelete), 412, 403))
					var list []api.Object
					s.Do(t, token, "GET", path, "").Decode(t, &list)
					if found := slices.ContainsFunc(list, func(o api.Object) bool { return o.Name == target.name }); found != sees {
						t.Errorf("%s: list contains the object: %v, want %v", who, found, sees)
					}
					var snapshot api.Snapshot
					s.Do(t, token, "GET", "/api/v1/snapshot", "").Decode(t, &snapshot)
					if found := slices.ContainsFunc(snapshot.Objects, func(o api.Object) bool {
						return o.Kind == strings.ToLower(string(target.kind)) && o.Name == target.name
					}); found != sees {
						t.Errorf("%s: snapshot contains the object: %v, want %v", who, found, sees)
					}
				}
			}
		}
	})
}

func inProject(project string) string {
	if project == "" {
		return ""
	}
	return ", project: " + project
}

// An object that a caller may not view is answered exactly as one that does not exist: by
// status, headers and body.
func TestHiddenObjectsDoNotExist(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		tokens := tokensOf(t, s)
		// The stranger has all rights in another project, the robot may run one server.
		for _, caller := range []string{"nobody", "stranger", "sa-robot"} {
			for _, k := range storedKinds {
				path := "/api/v1/" + strings.ToLower(string(k.kind)) + "s/"
				query := "?project=" + k.project
				if caller == "stranger" && k.name == "other" {
					continue // its own project
				}
				apply := func(name string) string {
					return mcpdtest.ApplyBody(fmt.Sprintf("kind: %s\nmetadata: {name: %s%s}\nspec: %s\n", k.kind, name, inProject(k.project), k.spec), mcpdtest.DryRun)
				}
				for _, request := range []func(name string) mcpdtest.Answer{
					func(name string) mcpdtest.Answer { return s.Do(t, tokens[caller], "GET", path+name+query, "") },
					func(name string) mcpdtest.Answer { return s.Do(t, tokens[caller], "HEAD", path+name+query, "") },
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "GET", path+name+query, "", "If-None-Match", `"1"`)
					},
					func(name string) mcpdtest.Answer { return s.Do(t, tokens[caller], "DELETE", path+name+query, "") },
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "DELETE", path+name+query+"&force=true", "", "If-Match", `"1"`)
					},
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "POST", "/api/v1/apply", apply(name))
					},
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "POST", "/api/v1/promptrequests/"+name+"/approve?project=p", "")
					},
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "GET", "/api/v1/projects/"+name+"/prompt-index", "")
					},
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "POST", "/api/v1/servers/"+name+"/mcp?project=p", `{"method":"ping"}`)
					},
					func(name string) mcpdtest.Answer {
						return s.Do(t, tokens[caller], "POST", "/api/v1/servers/"+name+"/mcp", `{"method":"ping"}`)
					},
				} {
					checkAlike(t, fmt.Sprintf("%s, %s", caller, k.kind), k.name, request)
				}
			}
			// Whether a project uses a server is a property of the project.
			if caller != "sa-robot" {
				checkAlike(t, caller+", use of a server", "p", func(project string) mcpdtest.Answer {
					return s.Do(t, tokens[caller], "POST", "/api/v1/servers/s/mcp?project="+project, `{"method":"ping"}`)
				})
			}
		}
	})
}

// checkAlike compares the answers for a name that exists and for one that does not.
func checkAlike(t *testing.T, what, name string, request func(name string) mcpdtest.Answer) {
	t.Helper()
	missing := strings.Repeat("z", len(name))
	existing, absent := request(name), request(missing)
	for _, a := range []*mcpdtest.Answer{&existing, &absent} {
		a.Header.Del("Date")
	}
	absent.Body = strings.ReplaceAll(absent.Body, missing, name)
	if existing.Status != absent.Status || existing.Body != absent.Body || !maps.EqualFunc(existing.Header, absent.Header, slices.Equal) {
		t.Errorf("%s: a hidden object differs from a missing one:\n%d %v %s\n%d %v %s", what, existing.Status, existing.Header, existing.Body, absent.Status, absent.Header, absent.Body)
	}
}

// A binding to administer some objects makes nobody an administrator of all.
func TestAdministratorsOfSomeObjects(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		for spec, want := range map[string]int{
			"{subjects: [{user: nobody}], verbs: [admin]}":                                           200,
			`{subjects: [{user: nobody}], verbs: [admin], names: ["*"]}`:                             200,
			`{subjects: [{user: nobody}], verbs: [admin], names: ["a*"]}`:                            403,
			`{subjects: [{user: nobody}], verbs: [admin], names: [any]}`:                             403,
			`{subjects: [{user: nobody}], verbs: [admin], names: ["???"]}`:                           403,
			`{subjects: [{user: nobody}], verbs: [admin], kinds: [RbacBinding]}`:                     200, // it can give itself all rights
			`{subjects: [{user: nobody}], verbs: [admin], kinds: [User, Server]}`:                    403,
			`{subjects: [{user: nobody}], verbs: [admin], projects: ["*"]}`:                          403,
			`{subjects: [{user: nobody}], verbs: [view, edit, create, delete, run, cache, operate]}`: 403,
		} {
			s.Apply(t, "kind: RbacBinding\nmetadata: {name: some}\nspec: "+spec+"\n")
			checkStatus(t, spec, "nobody", s.Do(t, s.Token(t, "nobody"), "GET", "/metrics", ""), want)
		}
	})
}
