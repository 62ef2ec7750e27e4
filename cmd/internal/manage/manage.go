// Package manage implements api.Service with a Host. The daemon serves it; the CLI uses it
// directly if no daemon runs.
package manage

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Endpoint describes how to connect to a daemon. The zero value means that no daemon runs.
type Endpoint struct {
	Listening string
	Socket    string
	PID       int
	Started   time.Time
}

// Service implements api.Service with a Host. It is safe for concurrent use.
type Service struct {
	h        *host.Host
	at       Endpoint
	settings config.Settings // with which h was opened; nil: unknown
}

var _ api.Service = (*Service)(nil)

// New returns the Service of a daemon. settings are those with which h was opened, for the
// warnings of Status; nil disables these warnings.
func New(h *host.Host, at Endpoint, settings config.Settings) *Service {
	return &Service{h, at, settings}
}

// OpenLocal returns a Service that uses the files of a home without a daemon. The caller
// closes it.
func OpenLocal(ctx context.Context, home string) (*Service, error) {
	settings, _, err := config.Load(home, os.Getenv) // the command reports the warnings
	if err != nil {
		return nil, err
	}
	h, err := host.Open(ctx, host.Options{Home: homedir.Dir(home), Version: release.Version, Settings: HostSettings(settings), Team: TeamSettings(home), Offline: true, Lazy: true})
	if err != nil {
		return nil, err
	}
	return &Service{h: h, settings: settings}, nil
}

// Close closes the Host of OpenLocal.
func (s *Service) Close() error { return s.h.Close() }

// Status implements api.Service.
func (s *Service) Status(ctx context.Context) (api.Status, error) {
	if s.at.PID == 0 { // compile all stages to find their problems
		if _, err := s.h.Stages(ctx); err != nil {
			return api.Status{}, err
		}
	}
	st := api.Status{
		Running: s.at.PID != 0, Version: release.Version, PID: s.at.PID, Home: string(s.h.Home()), Mcpd: host.Team(s.h).State().String(), Shared: s.h.Storage().SharedState(),
		Listening: s.at.Listening, Socket: s.at.Socket, Started: s.at.Started, Sessions: s.h.Sessions(),
		Servers: []api.ServerStatus{}, Projects: []api.ProjectStatus{},
	}
	snapshot := s.h.Snapshot()
	st.Proposals, st.Saved = len(snapshot.List(object.KindPromptRequest)), s.h.SavedTokens()
	for _, o := range snapshot.List(object.KindServer) {
		st.Servers = append(st.Servers, s.serverStatus(string(o.Key().Name)))
	}
	for _, o := range snapshot.List(object.KindProject) {
		d := s.projectDetails(o.(*object.Project))
		st.Projects = append(st.Projects, api.ProjectStatus{Name: string(o.Key().Name), ProxyModel: d.ProxyModel, Servers: d.Servers, Endpoint: d.Endpoint})
		if w := ruleWarning(s.h, string(o.Key().Name)); w != "" {
			st.Warnings = append(st.Warnings, w)
		}
	}
	var err error
	if st.LLM, err = s.LLMProviders(ctx); err != nil {
		return api.Status{}, err
	}
	st.Warnings = append(st.Warnings, settingWarnings(s)...)
	st.Warnings = append(st.Warnings, clientWarnings(s.h.Studio().IgnoringClients())...)
	for _, p := range s.h.Problems() {
		if p.Warning {
			st.Warnings = append(st.Warnings, linesInUse(p.Err, p.File)...)
		} else {
			st.Problems = append(st.Problems, linesInUse(p.Err, p.File)...)
		}
	}
	return st, nil
}

// Apply implements api.Service.
//
// Objects with invalid references are written, because the missing objects may be in the
// next file. Their errors become warnings with positions in the request.
func (s *Service) Apply(ctx context.Context, req api.ApplyRequest) ([]api.Applied, error) {
	if len(req.More)+len(req.Prune) > 0 && req.To != api.ToTeam {
		return nil, problem.Usagef("only objects of the team server are applied in several files at once, or pruned").WithHint("mcpctl apply --help")
	}
	objects, warnings, err := object.Decode(req.File, []byte(req.YAML))
	if err != nil {
		return nil, err
	}
	if inTeam, err := isForTeam(s.h.Snapshot(), objects, req.To, !host.Team(s.h).Settings().Login.IsZero()); err != nil || inTeam {
		if err != nil {
			return nil, err
		}
		return teamService{s.h}.apply(ctx, req)
	}
	findings, err := s.h.Lab().CheckObjects(ctx, objects)
	if err != nil {
		return nil, err
	}
	if req.Base == api.AnyRevision {
		req.Base = ""
	}
	changes, err := s.h.Apply(objects, store.ApplyOptions{DryRun: req.DryRun, Base: req.Base})
	if err != nil {
		return nil, err
	}
	applied := []api.Applied{}
	for _, c := range changes {
		applied = append(applied, api.Applied{Kind: kindName(c.Key.Kind), Name: string(c.Key.Name), Project: string(c.Key.Project), Action: string(c.Action)})
	}
	for _, w := range warnings {
		i := max(0, slices.IndexFunc(objects, func(o object.Object) bool { return o.Key().String() == w.Object }))
		applied[i].Warning = append(applied[i].Warning, w.Summary()+" ("+w.Position()+")")
	}
	snapshot := s.h.Snapshot().With(objects) // a dry run does not add them
	for i, c := range changes {
		if w := missingProgram(objects[i]); w != "" {
			applied[i].Warning = append(applied[i].Warning, w)
		}
		if w := missingProject(snapshot, objects[i]); w != "" {
			applied[i].Warning = append(applied[i].Warning, w)
		}
		if err := s.h.Config().State().TeamConflict(c.Key, c.File); err != nil {
			applied[i].Warning = append(applied[i].Warning, lines(err, "")...)
		}
		f, ok := findings[c.Key]
		if !ok {
			continue
		}
		applied[i].Warning = append(applied[i].Warning, lines(f.Errors, "")...)
		if f.State != "" {
			applied[i].Invalid = f.State + usersNote(s.h, c.Key)
		}
	}
	return applied, nil
}

// usersNote returns a text with the projects that use a proxymodel, or "".
func usersNote(h *host.Host, key object.Key) string {
	users := usedBy(h, key)
	if key.Kind != object.KindProxyModel || len(users) == 0 {
		return ""
	}
	return "; used by project " + strings.Join(users, ", ")
}

// Delete implements api.Service.
func (s *Service) Delete(ctx context.Context, kind, project, name string, force bool) error {
	if !force {
		if err := refuseUsed(ctx, s.h, kind, name); err != nil {
			return err
		}
	}
	if kind == "stage" {
		if err := s.h.DeleteStage(ctx, name); err != nil {
			return err
		}
		return install.Prune(stagesDir(s.h))
	}
	if key, ok := teamKey(kind, name); ok {
		return teamService{s.h}.delete(ctx, key, force)
	}
	key, err := s.find(kind, project, name)
	if err != nil {
		return err
	}
	if s.h.Snapshot().IsTeam(key) {
		return teamService{s.h}.delete(ctx, key, force)
	}
	_, err = s.h.Delete(key)
	return err
}

// refuseUsed returns an error if a proxymodel or stage is in use.
func refuseUsed(ctx context.Context, h *host.Host, kind, name string) error {
	var users []string
	switch kind {
	case "proxymodel":
		users = h.Config().ModelUsers(name)
	case "stage":
		if _, err := h.Stages(ctx); err != nil {
			return err
		}
		users = h.Config().StageUsers(name)
	}
	if len(users) == 0 {
		return nil
	}
	p := problem.New(abi.ErrConflict, "%s %q is used by %s", kind, name, strings.Join(users, ", "))
	p.Cause = "their content would be shown without it"
	if role, _, err := h.Role(ctx, name, true); kind == "stage" && err == nil && role.Kind == abi.KindFilter {
		p.Cause = "it is a filter: without it their content would be withheld, unless its entry has onFailure: pass"
	}
	return p.WithHint("mcpctl delete %s %s --force", kind, name)
}

// Reload implements api.Service.
func (s *Service) Reload(ctx context.Context) error { return s.h.Reload(ctx) }

func keyOf(kind, project, name string) (object.Key, error) {
	k, err := parseKind(kind)
	return object.Key{Kind: k, Project: object.Name(project), Name: object.Name(name)}, err
}

// parseKind returns the Kind of a word. It must be one that the home stores.
func parseKind(word string) (object.Kind, error) {
	k, ok := object.ParseKind(word)
	if !ok {
		return "", problem.Usagef("unknown kind %q", word)
	}
	if k.Dir() == "" {
		return "", problem.Usagef("%ss belong to a team server, the home stores none", strings.ToLower(string(k)))
	}
	return k, nil
}

func kindName(k object.Kind) string {
	for name, full := range kindNames {
		if full == k {
			return name
		}
	}
	return string(k)
}

var kindNames = map[string]object.Kind{
	"server": object.KindServer, "project": object.KindProject, "proxymodel": object.KindProxyModel,
	"prompt": object.KindPrompt, "promptrequest": object.KindPromptRequest,
	"user": object.KindUser, "group": object.KindGroup, "serviceaccount": object.KindServiceAccount, "rbacbinding": object.KindRbacBinding,
}

// CacheStats implements api.Service.
func (s *Service) CacheStats(context.Context) (api.CacheStats, error) {
	c, o, err := s.h.Storage().Stats()
	return api.CacheStats{
		Entries: c.Entries, Bytes: c.Bytes, LimitBytes: c.MaxBytes, Hits: c.Hits, Misses: c.Misses, HitRate: c.HitRate,
		Originals: o.Originals, OrigBytes: o.Bytes, Problem: c.Off, Team: api.TeamCacheStats(s.h.Storage().Shared()),
	}, err
}

// CacheEntries implements api.Service.
func (s *Service) CacheEntries(_ context.Context, project string) ([]api.CacheEntry, error) {
	items, err := s.h.Storage().List(project)
	list := []api.CacheEntry{}
	for _, i := range items {
		list = append(list, api.CacheEntry{Key: i.Key, Project: i.Project, Role: i.Role, Module: i.ModuleHash, Bytes: i.Bytes, Used: i.Used})
	}
	return list, err
}

// CacheClear implements api.Service.
func (s *Service) CacheClear(_ context.Context, project string) (int, error) {
	return s.h.Storage().ClearCache(project)
}

// missingObject returns the error for an object that the home does not have. The team server
// may have it.
func missingObject(h *host.Host, kind, name string) error {
	k, _ := object.ParseKind(kind)
	names := h.Snapshot().Names(k)
	p := problem.From(notFound(kind, name, names))
	settings := host.Team(h).Settings()
	switch {
	case settings.URL == "" || k != object.KindServer && k != object.KindProject || (object.Key{Kind: k, Name: object.Name(name)}).Check() != nil:
	case settings.Login.IsZero():
		p.Cause = "nobody is logged in to the team server, which may have it"
		p.Hint = "mcpctl login " + problem.Arg(settings.URL)
	case p.Cause == "":
		p.Cause = "the team server does not have it, or you have no right to view it"
		p.Hint = "mcpctl auth can-i view " + kind + " " + name
	}
	return p
}

func notFound(kind, name string, names []string) error {
	p := problem.New(abi.ErrNotFound, "%s %q not found", kind, name)
	if near := suggest.Nearest(name, names); near != "" {
		p.Cause = fmt.Sprintf("did you mean %q?", near)
	}
	return p.WithHint("mcpctl get %ss", kind)
}
