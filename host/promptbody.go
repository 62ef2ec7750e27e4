package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// PromptBody gives the text of a prompt of the session's project as the project's
// stages for prompts leave it, or as it is stored: then its filters alone run, since
// nothing of a controller is to quote what they keep back. A system prompt is named
// mcpctl-system/NAME and goes through neither.
//
// Errors: abi.ErrNotFound; abi.ErrUnavailable for a link that cannot be read or a
// text that a filter withheld, with words that a client may read.
func (h *Host) PromptBody(ctx context.Context, scope flow.Scope, name string, stored bool) ([]byte, error) {
	if system, ok := strings.CutPrefix(name, string(object.SystemProject)+"/"); ok {
		p, err := h.promptNamed(string(object.SystemProject), system)
		if err != nil {
			return nil, err
		}
		return []byte(p.Spec.Content), nil
	}
	p, err := h.promptNamed(scope.Project, name)
	if err != nil {
		return nil, err
	}
	text, hash, err := h.promptText(ctx, p)
	if err != nil {
		return nil, err
	}
	if !stored {
		if known, ok := h.knownBody(scope, name, hash); ok {
			return known, nil
		}
	}
	epoch := h.transformer.Epoch()
	shown, err := h.transformer.Transform(ctx, scope, flow.Content{Type: abi.Prompt, Source: name, MIME: "text/markdown", Hint: name + ".md",
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
		if shown.Final && len(text) <= maxKeptBody {
			b.text, b.epoch, b.run = text, epoch, shown.Run
		}
		h.learnBody(scope, name, b)
	}
	return text, nil
}

// KnownPromptBody is PromptBody, not stored, of a prompt whose text was made before
// and would be the same. Links are not among them: they are read anew.
func (h *Host) KnownPromptBody(scope flow.Scope, name string) (text []byte, ok bool) {
	p, err := h.promptNamed(scope.Project, name)
	if err != nil || p.Spec.LinkTarget != "" {
		return nil, false
	}
	sum := sha256.Sum256([]byte(p.Spec.Content))
	return h.knownBody(scope, name, hex.EncodeToString(sum[:]))
}

func (h *Host) promptNamed(project, name string) (*object.Prompt, error) {
	p, ok := h.Snapshot().Prompt(object.Name(project), object.Name(name))
	if !ok || project == "" {
		return nil, fmt.Errorf("%w: prompt %.80q", abi.ErrNotFound, name)
	}
	return p, nil
}

// promptText is what a prompt says, read from elsewhere if it is a link, and its
// hash.
func (h *Host) promptText(ctx context.Context, p *object.Prompt) (text []byte, hash string, err error) {
	text = []byte(p.Spec.Content)
	if p.Spec.LinkTarget != "" {
		if h.opts.Offline {
			return nil, "", fmt.Errorf("%w: prompt %q is a link, which only a daemon reads", abi.ErrUnavailable, p.Name())
		}
		if text, err = h.prompts.links.Content(ctx, p.Spec.LinkTarget); err != nil {
			return nil, "", fmt.Errorf("prompt %q: %w", p.Name(), err)
		}
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:]), nil
}

// ProposePrompt takes {"name","content","priority"} of a session for review by a
// person: it becomes a prompt by ApprovePrompt alone. id is its name.
//
// Errors: abi.ErrConfig, abi.ErrLimit, abi.ErrConflict; see package prompt.
func (h *Host) ProposePrompt(_ context.Context, scope flow.Scope, proposal []byte) (id string, err error) {
	p, err := prompt.ParseProposal(proposal)
	if err != nil {
		return "", err
	}
	h.prompts.proposing.Lock()
	defer h.prompts.proposing.Unlock()
	o, err := prompt.Propose(h.Snapshot(), object.Name(scope.Project), p)
	if err != nil {
		return "", err
	}
	changes, err := h.Apply([]object.Object{o}, object.ApplyOptions{DryRun: true})
	if err == nil && changes[0].Action != object.Created { // a file that is not loaded yet, or broken
		err = fmt.Errorf("%w: proposal %q waits for review already, choose another name", abi.ErrConflict, p.Name)
	}
	if err == nil {
		_, err = h.Apply([]object.Object{o}, object.ApplyOptions{})
	}
	if err != nil {
		return "", err
	}
	h.log.Info("prompt proposed", "project", scope.Project, "name", p.Name)
	return p.Name, nil
}

// ApprovePrompt makes a proposal the prompt of its name and takes it off the list.
//
// Errors: abi.ErrNotFound; abi.ErrConflict if that prompt is a link.
func (h *Host) ApprovePrompt(project, name string, dryRun bool) (object.Change, error) {
	key := object.Key{Kind: object.KindPromptRequest, Project: object.Name(project), Name: object.Name(name)}
	found, ok := h.Snapshot().Get(key)
	if !ok {
		return object.Change{}, fmt.Errorf("%w: promptrequest %.80q", abi.ErrNotFound, name)
	}
	o, err := prompt.Approved(h.Snapshot(), found.(*object.PromptRequest))
	if err != nil {
		return object.Change{}, err
	}
	changes, err := h.Apply([]object.Object{o}, object.ApplyOptions{DryRun: dryRun})
	if err != nil {
		return object.Change{}, err
	}
	if !dryRun {
		_, err = h.Delete(key)
	}
	return changes[0], err
}

// readLink reads a resource from the server of another project, over a connection
// of its own, through that project's filters: what they keep from its clients they
// keep from those of a link as well. It implements prompt.Read.
func (h *Host) readLink(ctx context.Context, target string) ([]byte, error) {
	place, uri, _ := strings.Cut(target, ":")
	project, server, _ := strings.Cut(place, "/")
	p, ok := h.state.Load().projects[project]
	if !ok {
		return nil, fmt.Errorf("%w: project %q", abi.ErrNotFound, project)
	}
	for _, s := range p.Servers {
		if s.Name == server {
			ctx, cancel := context.WithTimeout(ctx, 2*cmp.Or(s.Timeout, object.DefaultTimeout)) // half of it for the start of the server
			defer cancel()
			text, err := h.readResource(ctx, project, s, uri)
			if err != nil {
				return nil, err
			}
			return h.filterLinked(ctx, project, uri, text)
		}
	}
	return nil, fmt.Errorf("%w: project %q has no server %q", abi.ErrNotFound, project, server)
}

func (h *Host) readResource(ctx context.Context, project string, s proxy.Server, uri string) ([]byte, error) {
	up, err := h.pool.Connect(flow.Scope{Project: project}, s, proxy.Client{}, nobody{})
	if err != nil {
		return nil, err
	}
	defer up.Close()
	if err := up.Ready(ctx); err != nil { // the next attempt belongs to the next fetch
		return nil, up.CleanError(err)
	}
	params, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return nil, err
	}
	reply, err := up.CallRepeatable(ctx, "resources/read", params, nobody{})
	if err != nil {
		return nil, up.CleanError(err)
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("server %q: %s", s.Name, up.Shorten(jsonrpc.ReadError(reply.Error).Error()))
	}
	return resourceText(reply.Result)
}

// resourceText joins the texts of a resource.
func resourceText(result []byte) ([]byte, error) {
	var r struct {
		Contents []struct {
			Text *string `json:"text"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range r.Contents {
		if c.Text != nil {
			texts = append(texts, *c.Text)
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("the resource holds no text")
	}
	return []byte(strings.Join(texts, "\n")), nil
}

func (h *Host) filterLinked(ctx context.Context, project, uri string, text []byte) ([]byte, error) {
	shown, err := h.transformer.Transform(ctx, flow.Scope{Project: project}, flow.Content{Type: abi.Resource, Source: uri, Bytes: text,
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

// nobody is the Peer of a connection that no client stands behind.
type nobody struct{}

// Request implements proxy.Peer: there is nobody to ask.
func (nobody) Request(_ context.Context, method string, _ json.RawMessage) flow.Reply {
	return flow.Reply{Error: fmt.Appendf(nil, `{"code":-32601,"message":%q}`, method+" is not answered here")}
}

// Notify implements proxy.Peer.
func (nobody) Notify(string, json.RawMessage) {}
