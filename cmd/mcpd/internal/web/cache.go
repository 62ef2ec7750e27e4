package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/cache"
	"github.com/mcpctl/mcpctl/host/object"
)

var cacheRoutes = []Route{
	{Method: "POST", Path: "/api/v1/cache/get", Rule: Objects, Summary: "Return shared results of a ProxyModel in a project", In: api.TeamCacheGet{}, Out: api.TeamCacheGot{}, answer: forShared((*shared).get)},
	{Method: "PUT", Path: "/api/v1/cache", Rule: Objects, Summary: "Share results of a ProxyModel in a project; needs the verb cache", In: api.TeamCachePut{}, answer: forShared((*shared).put)},
	{Method: "DELETE", Path: "/api/v1/cache", Rule: Admin, Summary: "Remove all shared results of a producer", Query: []string{"producer"}, Out: api.TeamCachePurged{}, answer: forShared((*shared).purge)},
}

// shared is one request about the cache that callers share.
type shared struct{ *call }

func forShared(f func(*shared) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) { return f(&shared{c}) }
}

// project returns a project that the caller may view, and its uid.
func (c *shared) project(name string) (p *object.Project, uid string, err error) {
	key := object.Key{Kind: object.KindProject, Name: object.Name(name)}
	if err := key.Check(); err != nil {
		return nil, "", problem.Usagef("%s %v", key, err)
	}
	if !c.canView(key) {
		return nil, "", fmt.Errorf("%w: %s", abi.ErrNotFound, key)
	}
	r, err := c.Store.Get(c.ctx(), key)
	if err != nil {
		return nil, "", err
	}
	o, err := r.Object()
	if err != nil {
		return nil, "", err
	}
	p, _ = o.(*object.Project)
	return p, r.UID, nil
}

func (c *shared) get() (any, error) {
	var req api.TeamCacheGet
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	_, uid, err := c.project(req.Project)
	if err != nil {
		return nil, err
	}
	model, err := object.ParseName(req.ProxyModel)
	if err != nil {
		return nil, problem.Usagef("proxyModel: %v", err)
	}
	var keys []cache.Key
	for i, k := range req.Keys {
		key, err := cacheKey(i, k)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	got, err := c.Cache.Get(c.ctx(), uid, req.ProxyModel, keys, c.trust(object.Name(req.Project), model))
	if err != nil {
		return nil, err
	}
	if got.Forged > 0 {
		c.Log.Error("rows of the shared cache were changed in the database, they are not used", "project", req.Project, "rows", got.Forged)
	}
	out := api.TeamCacheGot{Entries: []api.TeamCacheEntry{}, More: got.More}
	for _, e := range got.Entries {
		out.Entries = append(out.Entries, api.TeamCacheEntry{Key: e.Key[:], Value: e.Value, ModuleHash: e.Module, Producer: e.Producer, ProxyModel: e.Model})
	}
	return out, nil
}

// trust returns a function that ranks the producers of results of a ProxyModel in a project. The
// caller ranks highest, then each service account that has the verb cache for the ProxyModel at
// the time of the call. Other producers have rank 0, and their results are not used.
func (c *shared) trust(project, model object.Name) func(producer string) int {
	return func(producer string) int {
		if producer == c.actor() {
			return 2
		}
		name, ok := strings.CutPrefix(producer, accountPrefix)
		if ok && c.mayShare(access.Caller{Kind: object.KindServiceAccount, Name: object.Name(name)}, model, project) {
			return 1
		}
		return 0
	}
}

// accountPrefix begins the producer of a service account, see access.Caller.Actor.
const accountPrefix = "serviceaccount "

// mayShare reports whether an account may store results of a ProxyModel in a project.
func (c *shared) mayShare(who access.Caller, model, project object.Name) bool {
	return c.Access.Allows(who, object.VerbCache, object.Key{Kind: object.KindProxyModel, Project: project, Name: model})
}

func (c *shared) put() (any, error) {
	var req api.TeamCachePut
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	p, uid, err := c.project(req.Project)
	if err != nil {
		return nil, err
	}
	if !c.mayShare(c.caller, object.Name(req.ProxyModel), p.Name()) {
		return nil, problem.New(abi.ErrDenied, "%s may not cache results of proxymodel %q in project %q; an administrator can add a binding with the verb cache", c.actor(), clip(req.ProxyModel), p.Name())
	}
	if !slices.ContainsFunc(p.ModelRefs(), func(r object.FieldRef) bool { return string(r.Name) == req.ProxyModel }) {
		return nil, problem.New(abi.ErrConfig, "project %q does not use proxymodel %q", p.Name(), clip(req.ProxyModel))
	}
	var entries []cache.Entry
	for i, e := range req.Entries {
		key, err := cacheKey(i, e.Key)
		if err != nil {
			return nil, err
		}
		if e.Producer != "" || e.ProxyModel != "" {
			return nil, problem.Usagef("entry %d has a producer or proxymodel, which mcpd sets", i+1)
		}
		entries = append(entries, cache.Entry{Key: key, Value: e.Value, Module: e.ModuleHash})
	}
	return struct{}{}, c.Cache.Put(c.ctx(), uid, c.actor(), req.ProxyModel, entries, c.lockAccount)
}

func cacheKey(i int, b []byte) (k cache.Key, err error) {
	if len(b) != len(k) {
		return k, problem.Usagef("key %d has %d bytes, want %d", i+1, len(b), len(k))
	}
	return cache.Key(b), nil
}

func (c *shared) purge() (any, error) {
	producer := c.query("producer")
	if kind, name, _ := strings.Cut(producer, " "); kind != "user" && kind != "serviceaccount" || name == "" {
		return nil, problem.Usagef(`producer is %q, want "user NAME" or "serviceaccount NAME"`, clip(producer))
	}
	n, err := c.Cache.Purge(c.ctx(), producer)
	if err != nil {
		return nil, err
	}
	c.Audit.Record(audit.Entry{Time: time.Now(), Actor: c.actor(), Action: "purge cache", Decision: audit.Allowed, Result: "ok", Detail: fmt.Sprintf("%d results of %s", n, clip(producer))})
	return api.TeamCachePurged{Removed: n}, nil
}
