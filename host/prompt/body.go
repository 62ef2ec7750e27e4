package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
)

// PromptBody returns the text of a prompt of the session's project after the project's
// stages for prompts. If stored is true only the filters run, because a controller must
// not quote the text that they remove. A system prompt is named mcpctl-system/NAME and
// goes through neither.
//
// Errors: abi.ErrNotFound; abi.ErrUnavailable for a link that cannot be read or a text
// that a filter withheld, and ErrNotGranted, with a text for clients.
func (l *Library) PromptBody(ctx context.Context, scope flow.Scope, name string, stored bool) ([]byte, error) {
	if system, ok := strings.CutPrefix(name, string(object.SystemProject)+"/"); ok {
		p, err := l.find(string(object.SystemProject), system)
		if err != nil {
			return nil, err
		}
		return []byte(p.Spec.Content), nil
	}
	p, err := l.find(scope.Project, name)
	if err != nil {
		return nil, err
	}
	text, hash, err := l.readText(ctx, p)
	if err != nil {
		return nil, err
	}
	if !stored {
		if known, ok := l.cachedBody(scope, name, hash); ok {
			return known, nil
		}
	}
	epoch := l.home.Epoch()
	shown, err := l.home.Transform(ctx, scope, flow.Content{Type: abi.Prompt, Source: name, MIME: "text/markdown", Hint: name + ".md",
		Bytes: text, Part: abi.Part{Kind: abi.PartText, Count: 1}, OnlyFilters: stored})
	switch {
	case err != nil:
		return nil, err
	case shown.Blocked != "":
		return nil, fmt.Errorf("%w: prompt %q: %s", abi.ErrUnavailable, name, shown.Blocked)
	}
	if shown.Changed {
		text = shown.Text
	}
	if shown.Ref != "" {
		b := body{bodyRef: bodyRef{hash, shown.Ref}}
		if shown.Final && len(text) <= maxCachedBody {
			b.text, b.epoch, b.run = text, epoch, shown.Run
		}
		l.addBody(scope, name, b)
	}
	return text, nil
}

// KnownPromptBody returns the cached result of PromptBody, not stored, if it would be
// the same now. Links are not cached: they are read again.
func (l *Library) KnownPromptBody(scope flow.Scope, name string) (text []byte, ok bool) {
	p, err := l.find(scope.Project, name)
	if err != nil || p.Spec.LinkTarget != "" {
		return nil, false
	}
	return l.cachedBody(scope, name, hashOf([]byte(p.Spec.Content)))
}

// find returns a prompt of a project.
func (l *Library) find(project, name string) (*object.Prompt, error) {
	p, ok := l.home.State().Snapshot.Prompt(object.Name(project), object.Name(name))
	if !ok || project == "" {
		return nil, fmt.Errorf("%w: prompt %.80q", abi.ErrNotFound, name)
	}
	return p, nil
}

// readText returns the text of a prompt and its hash. If the prompt is a link, it reads the
// text from the other server.
func (l *Library) readText(ctx context.Context, p *object.Prompt) (text []byte, hash string, err error) {
	text = []byte(p.Spec.Content)
	if p.Spec.LinkTarget != "" {
		if l.opts.Offline {
			return nil, "", fmt.Errorf("%w: prompt %q is a link, which only the daemon can read", abi.ErrUnavailable, p.Name())
		}
		if text, err = l.links.Content(ctx, linkOf(l.home.State(), p)); err != nil {
			return nil, "", fmt.Errorf("prompt %q: %w", p.Name(), err)
		}
	}
	return text, hashOf(text), nil
}

// linkOf returns the name of a link in Links. Of a prompt of a file it is the target. A link
// of the team server is one of its own for each prompt and login, because the team server
// decides about each.
func linkOf(s State, p *object.Prompt) string {
	key := p.Key()
	if !s.Snapshot.IsTeam(key) {
		return p.Spec.LinkTarget
	}
	return strings.Join([]string{p.Spec.LinkTarget, string(key.Project), string(key.Name), s.TeamLogin}, teamLink)
}

// teamLink separates the parts of the name of a link of the team server; no target contains
// it.
const teamLink = "\x00"

// readLink reads a resource from the server of another project, through the filters of
// that project. It implements Read.
func (l *Library) readLink(ctx context.Context, link string) ([]byte, error) {
	target, of, isTeam := strings.Cut(link, teamLink)
	place, uri, _ := strings.Cut(target, ":")
	project, server, _ := strings.Cut(place, "/")
	var text []byte
	var err error
	if isTeam {
		parts := strings.Split(of, teamLink)
		key := object.Key{Kind: object.KindPrompt, Project: object.Name(parts[0]), Name: object.Name(parts[1])}
		text, err = l.home.ReadTeamLink(ctx, key, server, uri)
		if _, ok := l.home.State().Snapshot.Project(object.Name(project)); !ok {
			return text, err // its filters are not known on this machine
		}
	} else {
		text, err = l.home.ReadResource(ctx, project, server, uri)
	}
	if err != nil {
		return nil, err
	}
	return l.filterLinked(ctx, project, uri, text)
}

func (l *Library) filterLinked(ctx context.Context, project, uri string, text []byte) ([]byte, error) {
	shown, err := l.home.Transform(ctx, flow.Scope{Project: project}, flow.Content{Type: abi.Resource, Source: uri, Bytes: text,
		Part: abi.Part{Kind: abi.PartText, Count: 1}, OnlyFilters: true})
	switch {
	case err != nil:
		return nil, err
	case shown.Blocked != "":
		return nil, errors.New(shown.Blocked)
	case shown.Changed:
		return shown.Text, nil
	}
	return text, nil
}
