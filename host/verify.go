package host

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/sharedcache"
	"github.com/mcpctl/mcpctl/host/transform"
)

// SharedCheck compares one result in the cache of the team with the result of the same run
// here.
type SharedCheck struct {
	Project, Role, Producer string
	Key                     string // hexadecimal
	Result                  string // SharedEqual, SharedDifferent or SharedUnverifiable
}

// The results of a SharedCheck.
const (
	SharedEqual        = "equal"
	SharedDifferent    = "different"
	SharedUnverifiable = "unverifiable" // an LLM may have been asked
)

// sharedVerifier recomputes results in the cache of the team.
type sharedVerifier struct {
	sharing
	contents    *content.Store
	transformer *transform.Transformer
	shared      *sharedcache.Cache
}

// verify runs the stages of the originals that a project has used last, sample at most, and
// compares their results with those in the cache of the team. An empty project selects all
// projects of mcpd.
//
// Errors: abi.ErrConfig for a project that mcpd does not have; those of sharedcache.Cache.Lookup.
func (v sharedVerifier) verify(ctx context.Context, project string, sample int) (list []SharedCheck, err error) {
	projects := []string{project}
	if project == "" {
		projects = slices.Sorted(maps.Keys(v.config().State().Projects))
	}
	for _, name := range projects {
		switch {
		case v.isOfTeam(name):
		case project != "":
			return nil, fmt.Errorf("%w: project %q is not of the team server, its results are not shared", abi.ErrConfig, project)
		default:
			continue
		}
		checks, err := v.verifyProject(ctx, name, sample)
		if err != nil {
			return nil, err
		}
		list = append(list, checks...)
	}
	return list, nil
}

func (v sharedVerifier) verifyProject(ctx context.Context, project string, sample int) (list []SharedCheck, err error) {
	scope := flow.Scope{Project: project}
	owner := v.config().Owner(scope)
	runs := make(map[string]map[[32]byte]pipeline.Recomputed) // by proxymodel
	for _, ref := range v.contents.Recent(owner.Project, sample) {
		b, info, err := v.contents.Get(owner, ref)
		if err != nil {
			continue // it has expired, or was filtered in another way
		}
		c := flow.Content{Type: info.Type, Source: info.Source, MIME: info.MIME, Hint: info.Hint, Part: info.Part, Wrapper: info.Wrapper, Bytes: b, Filtered: true}
		recomputed, err := v.transformer.Recompute(ctx, scope, c)
		if err != nil {
			return nil, err
		}
		for _, r := range recomputed {
			if v.canLeave(&r.Run) {
				if runs[r.Run.Model] == nil {
					runs[r.Run.Model] = make(map[[32]byte]pipeline.Recomputed)
				}
				runs[r.Run.Model][r.Run.Key] = r
			}
		}
	}
	for model, of := range runs {
		stored, err := v.shared.Lookup(ctx, project, model, slices.Collect(maps.Keys(of)))
		if err != nil {
			return nil, err
		}
		for key, s := range stored {
			if r, ok := of[key]; ok { // otherwise mcpd was not asked for it
				list = append(list, compareShared(&r, s))
			}
		}
	}
	slices.SortFunc(list, func(a, b SharedCheck) int { return bytes.Compare([]byte(a.Key), []byte(b.Key)) })
	return list, nil
}

// compareShared compares a result in the cache of the team with that of the same run here.
func compareShared(r *pipeline.Recomputed, s sharedcache.Stored) SharedCheck {
	check := SharedCheck{Project: r.Run.By.Project, Role: r.Run.By.Role, Producer: s.Producer, Key: hex.EncodeToString(r.Run.Key[:]), Result: SharedDifferent}
	switch {
	case r.Encoded == nil:
		check.Result = SharedUnverifiable
	case bytes.Equal(r.Encoded, s.Value) && s.ModuleHash == r.Run.By.ModuleHash:
		check.Result = SharedEqual
	}
	return check
}
