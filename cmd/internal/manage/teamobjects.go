package manage

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// isForTeam reports whether objects are applied to mcpd. Without a choice in to, they are if
// mcpd has them, or if the user is logged in and they are of a kind that only mcpd has, or
// have the revision of an object of mcpd.
//
// It returns problem.ErrUsage for objects of which only some are in mcpd: a request is
// applied as a whole or not at all.
func isForTeam(snapshot *store.Snapshot, objects []object.Object, to string, loggedIn bool) (bool, error) {
	switch to {
	case api.ToTeam, api.ToFiles:
		return to == api.ToTeam, nil
	case "":
	default:
		return false, problem.Usagef("unknown target %q, want %s or %s", to, api.ToTeam, api.ToFiles)
	}
	isTeam := func(o object.Object) bool {
		return snapshot.IsTeam(o.Key()) || loggedIn && (o.Base() != "" || slices.Contains(object.TeamKinds(), o.Key().Kind))
	}
	first := slices.IndexFunc(objects, isTeam)
	if first < 0 {
		return false, nil
	}
	if other := slices.IndexFunc(objects, func(o object.Object) bool { return !isTeam(o) }); other >= 0 {
		p := problem.Usagef("%s is in mcpd and %s is not, so they cannot be applied together", objects[first].Key(), objects[other].Key())
		p.Cause = "put them into two files, or apply all to mcpd with --team, or all to files with --local"
		return false, p.WithHint("mcpctl apply --help")
	}
	return true, nil
}

// apply applies a request to mcpd, and waits a moment until its change is in use.
func (t teamService) apply(ctx context.Context, req api.ApplyRequest) ([]api.Applied, error) {
	req.To = ""
	var applied []api.Applied
	before := host.Team(t.h).Revision()
	if err := t.call(ctx, http.MethodPost, "/apply", nil, req, &applied); err != nil {
		return nil, withPresent(err, req)
	}
	for i := range applied {
		cleanApplied(&applied[i])
	}
	if changed := func(a api.Applied) bool { return a.Action != string(store.Unchanged) }; !req.DryRun && slices.ContainsFunc(applied, changed) {
		t.awaitChange(ctx, before)
	}
	return applied, nil
}

// withPresent adds the command that shows the present object to the conflict of a document with
// the revision of an earlier one. The snapshot of a daemon may still have the earlier one.
func withPresent(err error, req api.ApplyRequest) error {
	if !errors.Is(err, abi.ErrConflict) {
		return err
	}
	objects, _, _ := object.Decode(req.File, []byte(req.YAML)) // mcpd has decoded it
	p := problem.From(err)
	if len(objects) != 1 || objects[0].Base() == "" || p.Hint != "" {
		return err
	}
	p.Cause = "make your change in its present version; without metadata.revision, apply overwrites any version"
	return p.WithHint("%s", showCommand(objects[0].Key()))
}

// showCommand returns the command that prints an object as mcpd has it now.
func showCommand(key object.Key) string {
	command := "mcpctl get " + kindName(key.Kind) + " " + string(key.Name)
	if key.Project != "" {
		command += " --project " + string(key.Project)
	}
	return command + " --direct -o yaml"
}

// cleanApplied removes control characters from the texts of mcpd.
func cleanApplied(a *api.Applied) {
	for _, text := range []*string{&a.Kind, &a.Name, &a.Project, &a.Action, &a.Invalid} {
		*text = cleanText(*text)
	}
	for i := range a.Warning {
		a.Warning[i] = cleanText(a.Warning[i])
	}
}

// delete deletes an object in mcpd, and waits a moment until that is in use.
func (t teamService) delete(ctx context.Context, key object.Key, force bool) error {
	query := url.Values{"force": {strconv.FormatBool(force)}}
	if key.Project != "" {
		query.Set("project", string(key.Project))
	}
	before := host.Team(t.h).Revision()
	path := "/" + kindName(key.Kind) + "s/" + url.PathEscape(string(key.Name))
	if err := t.call(ctx, http.MethodDelete, path, query, nil, nil); err != nil {
		return withRight(err, object.VerbDelete, key)
	}
	t.awaitChange(ctx, before)
	return nil
}

// withRight adds the command that shows a right to the problem of a call that was denied without
// one.
func withRight(err error, verb object.Verb, key object.Key) error {
	p := problem.From(err)
	if !errors.Is(err, abi.ErrDenied) || p.Hint != listRights {
		return err
	}
	command := strings.Join([]string{"mcpctl", "auth", "can-i", string(verb), kindName(key.Kind), string(key.Name)}, " ")
	if key.Project != "" {
		command += " --project " + string(key.Project)
	}
	return p.WithHint("%s", command)
}

// approve approves a prompt request in mcpd, and waits a moment until the prompt is in use.
func (t teamService) approve(ctx context.Context, key object.Key, dryRun bool) (a api.Applied, err error) {
	query := url.Values{"project": {string(key.Project)}, "dryRun": {strconv.FormatBool(dryRun)}}
	before := host.Team(t.h).Revision()
	if err := t.call(ctx, http.MethodPost, "/promptrequests/"+url.PathEscape(string(key.Name))+"/approve", query, nil, &a); err != nil {
		return a, err
	}
	cleanApplied(&a)
	if !dryRun {
		t.awaitChange(ctx, before)
	}
	return a, nil
}

// changeLimit is how long a change in mcpd is waited for. It arrives later in any case.
const changeLimit = 2 * time.Second

// awaitChange waits until other objects than those of a revision are in use.
func (t teamService) awaitChange(ctx context.Context, before string) {
	ctx, cancel := context.WithTimeout(ctx, changeLimit)
	defer cancel()
	host.Team(t.h).AwaitChange(ctx, before)
}

// teamKey returns the key of an object of a kind that only mcpd has.
func teamKey(kind, name string) (object.Key, bool) {
	k, _ := object.ParseKind(kind)
	return object.Key{Kind: k, Name: object.Name(name)}, slices.Contains(object.TeamKinds(), k)
}

// maxPages is the number of pages that objects reads. A list that is longer is hostile.
const maxPages = 1000

// objects lists the objects of a kind that mcpd has, of one project unless that is "".
func (t teamService) objects(ctx context.Context, k object.Kind, project string) ([]api.Object, error) {
	list, query := []api.Object{}, url.Values{}
	if project != "" {
		query.Set("project", project)
	}
	for range maxPages {
		var page []api.Object
		if err := t.call(ctx, http.MethodGet, "/"+kindName(k)+"s", query, nil, &page); err != nil {
			return nil, err
		}
		for i := range page {
			if err := checkTeamObject(&page[i], k); err != nil {
				return nil, err
			}
		}
		if list = append(list, page...); len(page) < api.ListPage {
			break
		}
		last := page[len(page)-1]
		query.Set("cursor", api.ListCursor(last.Project, last.Name))
	}
	return list, nil
}

// object returns one object that mcpd has.
func (t teamService) object(ctx context.Context, key object.Key) (o api.Object, err error) {
	if err := key.Check(); err != nil {
		return o, problem.Usagef("%s %v", key, err)
	}
	var query url.Values
	if key.Project != "" {
		query = url.Values{"project": {string(key.Project)}}
	}
	if err := t.call(ctx, http.MethodGet, "/"+kindName(key.Kind)+"s/"+url.PathEscape(string(key.Name)), query, nil, &o); err != nil {
		return o, err
	}
	return o, checkTeamObject(&o, key.Kind)
}

// checkTeamObject returns an error for an object of mcpd that is not of a kind, or is invalid.
func checkTeamObject(o *api.Object, k object.Kind) error {
	objects, _, err := object.Decode("mcpd", o.Manifest)
	if err != nil || len(objects) != 1 || objects[0].Key().Kind != k {
		return problem.New(abi.ErrUnavailable, "mcpd sent a %s that this version cannot read", kindName(k))
	}
	manifest, err := object.EncodeJSON(objects[0])
	key := objects[0].Key()
	*o = api.Object{Kind: kindName(k), Name: string(key.Name), Project: string(key.Project), Source: api.SourceTeam, Revision: cleanText(o.Revision), Manifest: manifest}
	return err
}
