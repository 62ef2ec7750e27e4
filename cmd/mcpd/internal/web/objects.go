package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

var objectRoutes = []Route{
	{Method: "GET", Path: "/api/v1/snapshot", Rule: Objects, Summary: "Return all objects that the caller may view, of one moment", Out: api.Snapshot{}, serve: func(c *call) { (&snapshot{c}).serve() }},
	{Method: "GET", Path: "/api/v1/watch", Rule: Objects, Summary: "Stream the changes after a version", Query: []string{"since"}, serve: (*call).watch},
	{Method: "POST", Path: "/api/v1/apply", Rule: Objects, Summary: "Store the objects of a YAML text, all or none", In: api.ApplyRequest{}, Out: []api.Applied{}, answer: (*call).apply},
	{Method: "GET", Path: "/api/v1/projects/{name}/prompts/visible", Rule: Objects, Summary: "List the prompts of a project", Out: []api.Prompt{}, serve: (*call).prompts},
	{Method: "GET", Path: "/api/v1/projects/{name}/prompt-index", Rule: Objects, Summary: "List name, priority, summary and chapters of the prompts of a project", Out: []api.Prompt{}, serve: (*call).promptIndex},
	{Method: "GET", Path: "/api/v1/{kinds}", Rule: Objects, Summary: "List the objects of a kind that the caller may view", Query: []string{"project", "limit", "cursor"}, Out: []api.Object{}, serve: (*call).list},
	{Method: "GET", Path: "/api/v1/{kinds}/{name}", Rule: Objects, Summary: "Return one object", Query: []string{"project"}, Out: api.Object{}, serve: (*call).get},
	{Method: "DELETE", Path: "/api/v1/{kinds}/{name}", Rule: Objects, Summary: "Delete one object", Query: []string{"project", "force"}, answer: (*call).delete},
	{Method: "POST", Path: "/api/v1/promptrequests/{name}/approve", Rule: Objects, Summary: "Convert a prompt request into a prompt", Query: []string{"project", "dryRun"}, Out: api.Applied{}, answer: (*call).approve},
}

// preconditionError is an errPrecondition with the text of its reason.
type preconditionError struct{ error }

// Unwrap returns both errors.
func (e preconditionError) Unwrap() []error { return []error{errPrecondition, e.error} }

// kindOf returns the kind of a collection, such as "servers".
func kindOf(r *http.Request) (object.Kind, error) {
	for _, k := range storedKinds() {
		if strings.ToLower(string(k))+"s" == r.PathValue("kinds") {
			return k, nil
		}
	}
	return "", problem.New(abi.ErrNotFound, "no call %s %s", r.Method, r.URL.Path)
}

// storedKinds are the kinds of objects that mcpd stores. ProxyModels and the stages that
// they name stay files of the users.
func storedKinds() []object.Kind {
	return slices.DeleteFunc(object.AllKinds(), func(k object.Kind) bool { return k == object.KindProxyModel })
}

// keyOf returns the key of the object in a path.
func keyOf(r *http.Request) (object.Key, error) {
	kind, err := kindOf(r)
	if err != nil {
		return object.Key{}, err
	}
	key := object.Key{Kind: kind, Name: object.Name(r.PathValue("name")), Project: object.Name(r.URL.Query().Get("project"))}
	if err := key.Check(); err != nil {
		return key, problem.Usagef("%s %v", key, err)
	}
	return key, nil
}

// notModified answers a conditional GET whose version is current.
func (c *call) notModified(tag string) bool {
	c.w.Header().Set("ETag", tag)
	c.w.Header().Set("Cache-Control", "private, no-cache")
	if c.r.Header.Get("If-None-Match") != tag {
		return false
	}
	c.w.WriteHeader(http.StatusNotModified)
	return true
}

func quote(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// Limits of a list.
const (
	defaultPage = api.ListPage
	maxPage     = api.ListPage
)

func (c *call) list() {
	kind, err := kindOf(c.r)
	if err != nil {
		c.refuse(err)
		return
	}
	limit := defaultPage
	if text := c.query("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			c.refuse(problem.Usagef("limit is %q, want 1 to %d", text, maxPage))
			return
		}
	}
	page := store.Page{Kind: kind, Project: object.Name(c.query("project")), Limit: limit}
	if page.Project != "" {
		if _, err := object.ParseName(string(page.Project)); err != nil {
			c.refuse(problem.Usagef("project: %v", err))
			return
		}
	}
	if page.After, err = parseCursor(c.query("cursor")); err != nil {
		c.refuse(err)
		return
	}
	out := []api.Object{}
	for {
		records, version, err := c.Store.List(c.ctx(), page)
		if err != nil {
			c.refuse(err)
			return
		}
		c.w.Header().Set(api.HeaderVersion, strconv.FormatInt(version, 10))
		for i, r := range records {
			if !c.canView(r.Key) {
				continue
			}
			if out = append(out, objectOf(r)); len(out) == limit && (i+1 < len(records) || len(records) == limit) {
				c.linkNext(r.Key, limit)
				writeJSON(c.w, out)
				return
			}
		}
		if len(records) < page.Limit {
			if kind == object.KindPrompt && page.Project == object.SystemProject { // few, so that they need no page of their own
				rest, err := missingSystemPrompts(c.ctx(), c.Store)
				if err != nil {
					c.refuse(err)
					return
				}
				for _, r := range rest {
					out = append(out, objectOf(r))
				}
			}
			writeJSON(c.w, out)
			return
		}
		page.After = records[len(records)-1].Key
	}
}

// linkNext adds the address of the next page.
func (c *call) linkNext(last object.Key, limit int) {
	q := url.Values{"limit": {strconv.Itoa(limit)}, "cursor": {api.ListCursor(string(last.Project), string(last.Name))}}
	if p := c.query("project"); p != "" {
		q.Set("project", p)
	}
	c.w.Header().Set("Link", "<"+c.r.URL.Path+"?"+q.Encode()+`>; rel="next"`)
}

func parseCursor(text string) (object.Key, error) {
	if text == "" {
		return object.Key{}, nil
	}
	project, name, ok := api.ParseListCursor(text)
	_, errName := object.ParseName(name)
	_, errProject := object.ParseName(project)
	if !ok || errName != nil || project != "" && errProject != nil {
		return object.Key{}, problem.Usagef("the cursor is not valid; take it from the header Link of the page before")
	}
	return object.Key{Project: object.Name(project), Name: object.Name(name)}, nil
}

func (c *call) get() {
	r, err := c.find()
	if err != nil {
		c.refuse(err)
		return
	}
	if !c.notModified(quote(r.Version)) {
		writeJSON(c.w, objectOf(r))
	}
}

// find returns the object in the path. An object that the caller may not view does not exist
// for it.
func (c *call) find() (store.Record, error) {
	key, err := keyOf(c.r)
	if err != nil {
		return store.Record{}, err
	}
	if !c.canView(key) {
		return store.Record{}, fmt.Errorf("%w: %s", abi.ErrNotFound, key)
	}
	return c.stored(key)
}

// stored returns an object of the store, or a system prompt that is built in.
func (c *call) stored(key object.Key) (store.Record, error) {
	r, err := c.Store.Get(c.ctx(), key)
	if errors.Is(err, abi.ErrNotFound) {
		if b, ok := builtIn(key); ok {
			return b, nil
		}
	}
	return r, err
}

// write returns who writes, for the store.
func (c *call) write() store.Write {
	return store.Write{Actor: c.caller.Actor(), Authorize: func(key object.Key, exists bool) error {
		return c.Access.AuthorizeWrite(c.caller, key, exists)
	}, GrantsLink: c.mayGrant, CanView: c.canView, Alongside: c.lockAccount}
}

// lockAccount returns access.ErrToken in a transaction if the account of the caller was deleted:
// grants of links would otherwise belong to an account of the same name that is created later.
func (c *call) lockAccount(ctx context.Context, tx *database.Tx) error {
	return access.LockAccount(ctx, tx, c.caller)
}

func (c *call) apply() (any, error) {
	var req api.ApplyRequest
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	objects, warned, err := decodeFiles(req)
	if err != nil {
		return nil, err
	}
	if err := c.checkObjects(objects); err != nil {
		return nil, err
	}
	if err := c.Access.KeepsAdmin(c.ctx(), c.caller, objects, object.Key{}); err != nil {
		return nil, err
	}
	w := c.write()
	w.Base, w.DryRun = req.Base, req.DryRun
	if w.Prune, err = pruned(req.Prune, objects); err != nil {
		return nil, err
	}
	w.PruneIf = func(key object.Key) (bool, error) {
		if !c.canView(key) { // it does not exist for the caller
			return false, nil
		}
		return true, c.Access.Authorize(c.caller, object.VerbDelete, key)
	}
	done, err := c.Store.Apply(c.ctx(), w, objects)
	if err != nil {
		return nil, err
	}
	c.sync()
	out := []api.Applied{}
	for _, a := range done {
		out = append(out, api.Applied{Kind: strings.ToLower(string(a.Key.Kind)), Name: string(a.Key.Name), Project: string(a.Key.Project), Action: string(a.Action)})
	}
	if err := (&warnings{c, objects, out}).addAll(); err != nil {
		return nil, err
	}
	for _, e := range warned {
		i := slices.IndexFunc(done, func(a store.Applied) bool { return a.Key.String() == e.Object })
		if i >= 0 {
			out[i].Warning = append(out[i].Warning, e.Summary()+" ("+e.Position()+")")
		}
	}
	return out, nil
}

// decodeFiles returns the objects of all files of a request, and their warnings.
func decodeFiles(req api.ApplyRequest) (objects []object.Object, warnings strictyaml.Errors, err error) {
	fileOf := make(map[object.Key]string)
	for _, f := range append([]api.ApplyFile{{File: req.File, YAML: req.YAML}}, req.More...) {
		list, warned, err := object.Decode(f.File, []byte(f.YAML))
		if err != nil {
			return nil, nil, err
		}
		for _, o := range list {
			if earlier, ok := fileOf[o.Key()]; ok {
				return nil, nil, problem.New(abi.ErrConflict, "%s: %s is also in %s, remove one of them", f.File, o.Key(), earlier)
			}
			fileOf[o.Key()] = f.File
		}
		objects, warnings = append(objects, list...), append(warnings, warned...)
	}
	return objects, warnings, nil
}

// pruned returns the projects of a request whose other prompts are deleted. A project of which
// the request has nothing is a wrong name or a wrong file, and would lose all of its prompts.
func pruned(names []string, objects []object.Object) (out []object.Name, err error) {
	for _, name := range names {
		isOf := func(o object.Object) bool {
			key := o.Key()
			return key.Kind == object.KindPrompt && string(key.Project) == name || key.Kind == object.KindProject && string(key.Name) == name
		}
		if !slices.ContainsFunc(objects, isOf) {
			p := problem.New(abi.ErrConfig, "no file has the project %q or a prompt of it, so that all of its prompts would be pruned", clip(name))
			p.Cause = "add the project to the files, or correct its name"
			return nil, p.WithHint("mcpctl get prompts --project NAME")
		}
		out = append(out, object.Name(name))
	}
	return out, nil
}

// checkObjects returns an error for objects that mcpd does not store, and for links of a
// project that the caller may not edit.
func (c *call) checkObjects(objects []object.Object) error {
	var errs strictyaml.Errors
	for _, o := range objects {
		if o.Key().Kind == object.KindProxyModel {
			e := o.Errorf(o.At(), "kind", "is not stored on the team server")
			e.Cause = "proxymodels and stages are files of each user, because they are programs"
			errs = append(errs, e)
			continue
		}
		if err := c.checkLink(o); err != nil {
			return err
		}
		if p, ok := o.(*object.Project); ok {
			errs = append(errs, c.checkServers(p)...)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// checkServers returns errors for servers that a project begins to use and that the caller may
// neither run everywhere nor edit: otherwise the right to run the servers of one project would
// be one to run all. It does not matter whether a server exists.
func (c *call) checkServers(p *object.Project) (errs strictyaml.Errors) {
	used := c.Access.ServersOf(p.Name())
	for _, ref := range p.ServerRefs() {
		key := object.Key{Kind: object.KindServer, Name: ref.Name}
		if slices.Contains(used, ref.Name) || c.Access.AllowsRun(c.caller, ref.Name, "") || c.Access.Allows(c.caller, object.VerbEdit, key) {
			continue
		}
		e := p.Errorf(ref.At, ref.Path, "%q cannot be added by %s", ref.Name, c.actor())
		e.Cause = "this needs the right to edit the server, or to run it in all projects"
		errs = append(errs, e)
	}
	return errs
}

// sync waits until this process knows what it has just written. If it cannot read it, the
// request has succeeded nevertheless: the feed tries again.
func (c *call) sync() {
	if err := c.Feed.Sync(c.ctx()); err != nil {
		c.Log.Warn("a change was written, and cannot be read yet", "cause", err)
	}
}

func (c *call) delete() (any, error) {
	key, err := keyOf(c.r)
	if err != nil {
		return nil, err
	}
	w := c.write()
	w.Authorize = func(key object.Key, exists bool) error {
		if err := c.Access.Authorize(c.caller, object.VerbDelete, key); err != nil {
			return err
		}
		if _, ok := builtIn(key); ok && !exists {
			return problem.New(abi.ErrDenied, "%s is built in and cannot be deleted", key)
		}
		if !exists {
			return fmt.Errorf("%w: %s", abi.ErrNotFound, key)
		}
		return nil
	}
	if err := c.Access.KeepsAdmin(c.ctx(), c.caller, nil, key); err != nil {
		return nil, err
	}
	if match := c.r.Header.Get("If-Match"); match != "*" { // * matches any version
		w.Base = strings.Trim(match, `"`)
	}
	if err := c.Store.Delete(c.ctx(), w, key, c.query("force") == "true"); err != nil {
		if w.Base != "" && errors.Is(err, store.ErrChanged) {
			err = preconditionError{err}
		}
		return nil, err
	}
	c.sync()
	return struct{}{}, nil
}

func (c *call) approve() (any, error) {
	key := object.Key{Kind: object.KindPromptRequest, Project: object.Name(c.query("project")), Name: object.Name(c.r.PathValue("name"))}
	if err := key.Check(); err != nil {
		return nil, problem.Usagef("%s %v", key, err)
	}
	w := c.write()
	w.DryRun = c.query("dryRun") == "true"
	w.Authorize = func(key object.Key, _ bool) error {
		if key.Kind == object.KindPromptRequest && !c.canView(key) {
			return fmt.Errorf("%w: %s", abi.ErrNotFound, key)
		}
		return c.Access.Authorize(c.caller, object.VerbEdit, key)
	}
	a, err := c.Store.Approve(c.ctx(), w, key)
	if _, ok := errors.AsType[strictyaml.Errors](err); ok {
		err = problem.WithoutPositions(err) // they are in a text that nobody has written
	}
	if err != nil {
		return nil, err
	}
	c.sync()
	return api.Applied{Kind: "prompt", Name: string(a.Key.Name), Project: string(a.Key.Project), Action: string(a.Action)}, nil
}
