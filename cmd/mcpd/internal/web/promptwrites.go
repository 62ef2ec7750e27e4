package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// promptRoutes write single prompts, and decide about links.
var promptRoutes = []Route{
	{Method: "POST", Path: "/api/v1/prompts", Rule: Objects, Summary: "Create a prompt: a text, or a link to a resource of a server", In: api.PromptWrite{}, Out: api.Object{}, answer: forWriter((*writer).create)},
	{Method: "PUT", Path: "/api/v1/prompts/{name}", Rule: Objects, Summary: "Change a prompt; absent fields keep their values", Query: []string{"project"}, In: api.PromptWrite{}, Out: api.Object{}, answer: forWriter((*writer).change)},
	{Method: "POST", Path: "/api/v1/promptrequests", Rule: Objects, Summary: "Propose a prompt, which a person reviews", In: api.PromptWrite{}, Out: api.Object{}, answer: forWriter((*writer).propose)},
	{Method: "POST", Path: "/api/v1/prompts/{name}/regenerate-summary", Rule: Objects, Summary: "Not available: the daemons of users generate summaries", Query: []string{"project"}, serve: (*call).regenerateSummary},
	{Method: "GET", Path: "/api/v1/projects/{name}/links", Rule: Objects, Summary: "List the prompts of other projects that link to resources of a project", Out: []api.TeamLink{}, answer: forWriter((*writer).links)},
	{Method: "PUT", Path: "/api/v1/projects/{name}/links", Rule: Objects, Summary: "Grant a link to a resource of a project, or withdraw the grant", In: api.LinkGrant{}, answer: forWriter((*writer).grant)},
}

// writer is one request that writes a prompt.
type writer struct{ *call }

func forWriter(f func(*writer) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) { return f(&writer{c}) }
}

// mayGrant reports whether the caller may let other projects link to a project.
func (c *call) mayGrant(source object.Name) bool {
	return c.Access.Allows(c.caller, object.VerbEdit, object.Key{Kind: object.KindProject, Name: source})
}

// linkStatus returns the state of a link that has a target.
func (c *call) linkStatus(target, grantedBy string) string {
	source, _, _ := strings.Cut(target, "/")
	if grantedBy == "" || !c.Access.HoldsGrant(grantedBy, object.Name(source)) {
		return api.LinkPending
	}
	return "unknown" // the daemons that read it know more
}

// checkLink returns an error if an object is a link of a project that the caller may not edit:
// the right to write single prompts does not suffice for it.
func (c *call) checkLink(o object.Object) error {
	p, ok := o.(*object.Prompt)
	if !ok || p.Spec.LinkTarget == "" {
		return nil
	}
	return c.Access.Authorize(c.caller, object.VerbEdit, object.Key{Kind: object.KindProject, Name: p.Key().Project})
}

// document is a manifest whose fields can be set.
type document struct {
	Kind     object.Kind                `json:"kind"`
	Metadata map[string]string          `json:"metadata"`
	Spec     map[string]json.RawMessage `json:"spec"`
}

// set replaces the fields of spec that a request has.
func (d *document) set(w api.PromptWrite) error {
	for name, v := range map[string]any{"priority": w.Priority, "summary": w.Summary, "chapters": w.Chapters, "content": w.Content, "linkTarget": w.LinkTarget} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if string(text) != "null" {
			d.Spec[name] = text
		}
	}
	return nil
}

func (d *document) decode() (object.Object, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	objects, _, err := object.Decode("the request", text)
	if err != nil {
		return nil, problem.WithoutPositions(err)
	}
	return objects[0], nil
}

// newObject returns the object that a request creates. Its project must exist, so that the
// limits of a project are limits of the store.
func (c *writer) newObject(kind object.Kind, w api.PromptWrite) (object.Object, error) {
	key := object.Key{Kind: kind, Project: object.Name(w.Project), Name: object.Name(w.Name)}
	if err := key.Check(); err != nil {
		return nil, problem.Usagef("%s %v", key, err)
	}
	if err := c.Access.Authorize(c.caller, object.VerbCreate, key); err != nil {
		return nil, err
	}
	if key.Project != object.SystemProject {
		if _, err := c.Store.Get(c.ctx(), object.Key{Kind: object.KindProject, Name: key.Project}); err != nil {
			return nil, err
		}
	}
	d := document{Kind: kind, Metadata: map[string]string{"name": w.Name, "project": w.Project}, Spec: make(map[string]json.RawMessage)}
	if err := d.set(w); err != nil {
		return nil, err
	}
	return d.decode()
}

// store applies one object and returns it.
func (c *writer) store(w store.Write, o object.Object) (any, error) {
	if err := c.checkLink(o); err != nil {
		return nil, err
	}
	if _, err := c.Store.Apply(c.ctx(), w, []object.Object{o}); err != nil {
		if w.Base != "" && errors.Is(err, store.ErrChanged) {
			return nil, errors.Join(errPrecondition, err)
		}
		if _, ok := errors.AsType[strictyaml.Errors](err); ok {
			err = problem.WithoutPositions(err)
		}
		return nil, err
	}
	c.sync()
	r, err := c.Store.Get(c.ctx(), o.Key())
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("ETag", quote(r.Version))
	return objectOf(r), nil
}

// onlyNew makes a Write refuse objects that exist.
func (c *writer) onlyNew() store.Write {
	w := c.write()
	authorize := w.Authorize
	w.Authorize = func(key object.Key, exists bool) error {
		if exists {
			return fmt.Errorf("%w: %s exists already, choose another name", abi.ErrConflict, key)
		}
		return authorize(key, exists)
	}
	return w
}

func (c *writer) create() (any, error) {
	var req api.PromptWrite
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	o, err := c.newObject(object.KindPrompt, req)
	if err != nil {
		return nil, err
	}
	return c.store(c.onlyNew(), o)
}

func (c *writer) propose() (any, error) {
	var req api.PromptWrite
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	if req.Content != nil && strings.TrimSpace(*req.Content) == "" {
		return nil, problem.New(abi.ErrConfig, "proposal %q: content is empty", clip(req.Name))
	}
	o, err := c.newObject(object.KindPromptRequest, req)
	if err != nil {
		return nil, err
	}
	return c.store(c.onlyNew(), o)
}

func (c *writer) change() (any, error) {
	var req api.PromptWrite
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	key := object.Key{Kind: object.KindPrompt, Project: object.Name(c.query("project")), Name: object.Name(c.r.PathValue("name"))}
	if err := key.Check(); err != nil {
		return nil, problem.Usagef("%s %v", key, err)
	}
	if req.Name != "" && req.Name != string(key.Name) || req.Project != "" && req.Project != string(key.Project) {
		return nil, problem.Usagef("the request is about %q of project %q, the path about %s; a prompt cannot be renamed", clip(req.Name), clip(req.Project), key)
	}
	if !c.canView(key) {
		return nil, fmt.Errorf("%w: %s", abi.ErrNotFound, key)
	}
	r, err := c.stored(key)
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(r.Manifest, &d); err != nil {
		return nil, err
	}
	if target, want := d.Spec["linkTarget"], req.LinkTarget; want != nil {
		var now string
		_ = json.Unmarshal(target, &now) // absent: ""
		if now != *want {
			return nil, problem.New(abi.ErrConfig, "%s: linkTarget cannot be changed, delete the prompt and create it again", key)
		}
	}
	if err := d.set(req); err != nil {
		return nil, err
	}
	o, err := d.decode()
	if err != nil {
		return nil, err
	}
	w := c.write()
	w.Base = strings.Trim(c.r.Header.Get("If-Match"), `"`)
	if r.Version == 0 && w.Base == "0" { // the entity tag of a prompt that is built in
		w.Base = ""
	}
	if w.Base == "" && r.Version > 0 {
		w.Base = r.Revision() // the fields that the request leaves out are those of this revision
		out, err := c.store(w, o)
		if errors.Is(err, errPrecondition) {
			err = problem.New(abi.ErrConflict, "%s was changed in the meantime, send the request again", key)
		}
		return out, err
	}
	return c.store(w, o)
}

// regenerateSummary answers that mcpd has no LLM. The index has the first sentence and the
// headings of each prompt.
func (c *call) regenerateSummary() {
	key := object.Key{Kind: object.KindPrompt, Project: object.Name(c.query("project")), Name: object.Name(c.r.PathValue("name"))}
	if err := key.Check(); err != nil {
		c.refuse(problem.Usagef("%s %v", key, err))
		return
	}
	if !c.canView(key) {
		c.refuse(fmt.Errorf("%w: %s", abi.ErrNotFound, key))
		return
	}
	p := &problem.Problem{Code: "E_FAILED", Message: "the team server has no LLM and generates no summaries", Cause: "the daemon of each user generates them with its own LLM"}
	api.WriteProblem(c.w, http.StatusNotImplemented, p.WithHint("mcpctl regenerate prompt %s --project %s", key.Name, key.Project))
}

// source returns the project in the path, which the caller may edit.
func (c *writer) source() (object.Name, error) {
	key := object.Key{Kind: object.KindProject, Name: object.Name(c.r.PathValue("name"))}
	if err := key.Check(); err != nil || !c.canView(key) {
		return "", fmt.Errorf("%w: %s", abi.ErrNotFound, key)
	}
	return key.Name, c.Access.Authorize(c.caller, object.VerbEdit, key)
}

func (c *writer) links() (any, error) {
	source, err := c.source()
	if err != nil {
		return nil, err
	}
	all, err := c.Store.Links(c.ctx())
	if err != nil {
		return nil, err
	}
	out := []api.TeamLink{}
	for _, l := range all {
		if strings.HasPrefix(l.Target, string(source)+"/") {
			out = append(out, api.TeamLink{Project: string(l.Key.Project), Name: string(l.Key.Name), LinkTarget: l.Target, LinkStatus: c.linkStatus(l.Target, l.GrantedBy), GrantedBy: l.GrantedBy})
		}
	}
	return out, nil
}

func (c *writer) grant() (any, error) {
	source, err := c.source()
	if err != nil {
		return nil, err
	}
	var req api.LinkGrant
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	key := object.Key{Kind: object.KindPrompt, Project: object.Name(req.Project), Name: object.Name(req.Name)}
	if err := key.Check(); err != nil {
		return nil, problem.Usagef("%s %v", key, err)
	}
	target := ""
	err = c.Store.GrantLink(c.ctx(), c.actor(), key, req.Granted, func(tx *database.Tx, l store.Link) error {
		if err := c.lockAccount(c.ctx(), tx); err != nil {
			return err
		}
		if target = l.Target; !strings.HasPrefix(target, string(source)+"/") {
			return abi.ErrNotFound
		}
		return nil
	})
	if errors.Is(err, abi.ErrNotFound) { // whether the prompt exists is not told: the caller may not be able to view it
		return nil, fmt.Errorf("%w: no link of %s to project %q", abi.ErrNotFound, key, source)
	}
	if err != nil {
		return nil, err
	}
	action := "withdraw link"
	if req.Granted {
		action = "grant link"
	}
	c.recordAbout(key, audit.Entry{Action: action, Decision: audit.Allowed, Result: "ok", Detail: target})
	c.sync()
	return struct{}{}, nil
}
