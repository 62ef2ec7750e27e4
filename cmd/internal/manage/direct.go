package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// Direct is the Service of `mcpctl --direct`: the objects that the team server has now, with
// the stored login. It needs no daemon, and it neither reads nor writes the objects of files.
// Other calls are those of a Service without a daemon.
type Direct struct{ *Service }

var _ api.Service = (*Direct)(nil)

// OpenDirect returns the Direct of a home. The caller closes it.
func OpenDirect(ctx context.Context, home string) (*Direct, error) {
	s, err := OpenLocal(ctx, home)
	if err != nil {
		return nil, err
	}
	return &Direct{s}, nil
}

func (d *Direct) team() teamService { return teamService{d.h} }

// Objects implements api.Service.
func (d *Direct) Objects(ctx context.Context, kind, project string) ([]api.Object, error) {
	k, err := directKind(kind)
	if err != nil {
		return nil, err
	}
	if !k.IsScoped() {
		project = ""
	}
	list, err := d.team().objects(ctx, k, project)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := addDirectDetails(&list[i], nil); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Object implements api.Service.
func (d *Direct) Object(ctx context.Context, kind, project, name string) (api.Object, error) {
	key, err := d.find(ctx, kind, project, name)
	if err != nil {
		return api.Object{}, err
	}
	o, err := d.team().object(ctx, key)
	if err != nil {
		return o, err
	}
	var prompts []api.Prompt
	if key.Kind == object.KindProject {
		if prompts, err = d.Prompts(ctx, name); err != nil {
			return o, err
		}
	}
	return o, addDirectDetails(&o, prompts)
}

// Apply implements api.Service.
func (d *Direct) Apply(ctx context.Context, req api.ApplyRequest) ([]api.Applied, error) {
	if req.To == api.ToFiles {
		return nil, problem.Usagef("--direct and --local exclude each other")
	}
	return d.team().apply(ctx, req)
}

// Delete implements api.Service.
func (d *Direct) Delete(ctx context.Context, kind, project, name string, force bool) error {
	key, err := d.find(ctx, kind, project, name)
	if err != nil {
		return err
	}
	return d.team().delete(ctx, key, force)
}

// Approve implements api.Service.
func (d *Direct) Approve(ctx context.Context, project, name string, dryRun bool) (api.Applied, error) {
	key, err := d.find(ctx, "promptrequest", project, name)
	if err != nil {
		return api.Applied{}, err
	}
	return d.team().approve(ctx, key, dryRun)
}

// Prompts implements api.Service.
func (d *Direct) Prompts(ctx context.Context, project string) ([]api.Prompt, error) {
	var list []api.Prompt
	err := d.team().call(ctx, http.MethodGet, "/projects/"+url.PathEscape(project)+"/prompts/visible", nil, nil, &list)
	for i := range list {
		p := &list[i]
		p.Name, p.Project, p.LinkTarget, p.LinkStatus = cleanText(p.Name), project, cleanText(p.LinkTarget), cleanText(p.LinkStatus)
		p.Summary, p.Chapters, p.Delivery = cleanText(p.Summary), nil, ""
	}
	return list, err
}

// directKind returns the Kind of a word. It must be one that the team server stores.
func directKind(word string) (object.Kind, error) {
	k, ok := object.ParseKind(word)
	if !ok || k == object.KindProxyModel {
		return "", problem.Usagef("%ss are not on a team server, which --direct calls", word).WithHint("mcpctl get %ss", word)
	}
	return k, nil
}

// find returns the key of an object. The project may be empty if the name is unique.
func (d *Direct) find(ctx context.Context, kind, project, name string) (object.Key, error) {
	k, err := directKind(kind)
	key := object.Key{Kind: k, Project: object.Name(project), Name: object.Name(name)}
	if err != nil || !k.IsScoped() || project != "" {
		return key, err
	}
	list, err := d.team().objects(ctx, k, "")
	if err != nil {
		return key, err
	}
	var names, projects []string
	for _, o := range list {
		names = append(names, o.Name)
		if o.Name == name {
			projects = append(projects, o.Project)
		}
	}
	return uniqueKey(key, names, projects)
}

// Instructions implements api.Service.
func (d *Direct) Instructions(context.Context, string) (api.Instructions, error) {
	return api.Instructions{}, problem.New(abi.ErrUnavailable, "only a daemon knows the instructions of sessions").WithHint("mcpctl daemon start")
}

// addDirectDetails sets Object.Details to what the manifest says, and the prompts of a project.
// Only a daemon knows the state of an object.
func addDirectDetails(o *api.Object, prompts []api.Prompt) error {
	objects, _, err := object.Decode("mcpd", o.Manifest)
	if err != nil || len(objects) != 1 {
		return fmt.Errorf("decode %s %q again: %w", o.Kind, o.Name, err)
	}
	var details any
	switch v := objects[0].(type) {
	case *object.Server:
		details = api.ServerDetails{Transport: "http", State: api.ServerStatus{Name: o.Name, State: "-"}}
	case *object.Project:
		d := api.ProjectDetails{ProxyMode: v.Spec.ProxyMode, ProxyModel: string(v.Spec.ProxyModel.Name), Servers: []string{}, ToolNames: v.Spec.ToolNames, Gated: v.IsGated(), MaxAnswer: v.AnswerLimit(), Prompts: prompts}
		for _, ref := range v.Spec.Servers {
			d.Servers = append(d.Servers, string(ref.Name))
		}
		details = d
	case *object.Prompt:
		details = api.Prompt{Name: o.Name, Project: o.Project, Priority: v.Spec.Priority, Summary: v.Spec.Summary, Chapters: v.Spec.Chapters, LinkTarget: v.Spec.LinkTarget, Bytes: len(v.Spec.Content)}
	default:
		return nil
	}
	o.Details, err = json.Marshal(details)
	return err
}

// uniqueKey returns key with the only one of projects.
//
// Errors: abi.ErrNotFound without a project; problem.ErrUsage if there are several.
func uniqueKey(key object.Key, names, projects []string) (object.Key, error) {
	kind := kindName(key.Kind)
	switch len(projects) {
	case 0:
		return key, notFound(kind, string(key.Name), names)
	case 1:
		key.Project = object.Name(projects[0])
		return key, nil
	}
	p := problem.Usagef("%s %q is in %d projects, which one?", kind, key.Name, len(projects))
	p.Cause = fmt.Sprintf("projects %s have one", strings.Join(slices.Sorted(slices.Values(projects)), ", "))
	return key, p.WithHint("add --project %s", projects[0])
}
