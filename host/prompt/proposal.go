package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// Limits of proposals.
const (
	MaxProposalBytes = 64 << 10
	MaxOpenProposals = 100 // of one project
)

// Proposal is a prompt that a model proposes.
type Proposal struct {
	Name     string `json:"name"`
	Content  string `json:"content"`
	Priority int    `json:"priority,omitempty"` // 1 to 10; 0 for the default
}

// ParseProposal decodes {"name","content","priority"} and rejects unknown fields.
//
// It returns abi.ErrConfig, or abi.ErrLimit for a content over 64 KiB.
func ParseProposal(b []byte) (Proposal, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var p Proposal
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%w: proposal: %v", abi.ErrConfig, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return p, fmt.Errorf("%w: proposal: more than one JSON value", abi.ErrConfig)
	}
	return p, p.check()
}

func (p Proposal) check() error {
	if _, err := object.ParseName(p.Name); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(p.Content) == "":
		return fmt.Errorf("%w: proposal %q: content is empty", abi.ErrConfig, p.Name)
	case len(p.Content) > MaxProposalBytes:
		return fmt.Errorf("%w: proposal %q: content is %d bytes, limit %d", abi.ErrLimit, p.Name, len(p.Content), MaxProposalBytes)
	case !utf8.ValidString(p.Content) || strings.ContainsRune(p.Content, 0):
		return fmt.Errorf("%w: proposal %q: content is no text", abi.ErrConfig, p.Name)
	case p.Priority < 0 || p.Priority > 10:
		return fmt.Errorf("%w: proposal %q: priority is %d, want a whole number from 1 to 10", abi.ErrConfig, p.Name, p.Priority)
	}
	return nil
}

// Propose returns the PromptRequest of a proposal.
//
// It returns abi.ErrConflict if a proposal of this name is open, the prompt is a link,
// or the prompt has the same content; and abi.ErrLimit if 100 proposals are open.
func Propose(s *store.Snapshot, project object.Name, p Proposal) (object.Object, error) {
	open := s.PromptRequests(project)
	for _, r := range open {
		if string(r.Name()) == p.Name {
			return nil, fmt.Errorf("%w: proposal %q waits for review already, choose another name", abi.ErrConflict, p.Name)
		}
	}
	if len(open) >= MaxOpenProposals {
		return nil, fmt.Errorf("%w: project %q has %d open proposals, limit %d", abi.ErrLimit, project, len(open), MaxOpenProposals)
	}
	switch now, ok := s.Prompt(project, object.Name(p.Name)); {
	case ok && now.Spec.LinkTarget != "":
		return nil, fmt.Errorf("%w: prompt %q is a link, choose another name", abi.ErrConflict, p.Name)
	case ok && now.Spec.Content == p.Content:
		return nil, fmt.Errorf("%w: prompt %q says exactly this already", abi.ErrConflict, p.Name)
	}
	return newObject(object.KindPromptRequest, project, p)
}

// NewApprovedPrompt returns the Prompt of a PromptRequest. It replaces a prompt of the same name.
//
// It returns abi.ErrConflict if that prompt is a link.
func NewApprovedPrompt(s *store.Snapshot, r *object.PromptRequest) (object.Object, error) {
	key := r.Key()
	if now, ok := s.Prompt(key.Project, key.Name); ok && now.Spec.LinkTarget != "" {
		return nil, fmt.Errorf("%w: %s is a link, delete it first\nhint: mcpctl delete prompt %s --project %s",
			abi.ErrConflict, now.Key(), key.Name, key.Project)
	}
	return newObject(object.KindPrompt, key.Project, Proposal{string(key.Name), r.Spec.Content, r.Spec.Priority})
}

func newObject(kind object.Kind, project object.Name, p Proposal) (object.Object, error) {
	if p.Priority == 0 {
		p.Priority = object.DefaultPriority
	}
	text, err := json.Marshal(map[string]any{"kind": kind, "metadata": map[string]any{"name": p.Name, "project": project},
		"spec": map[string]any{"priority": p.Priority, "content": p.Content}})
	if err != nil {
		return nil, err
	}
	objects, _, err := object.Decode(string(kind)+" "+p.Name, text)
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}

// ProposePrompt stores the proposal {"name","content","priority"} of a session for
// review by a person: in the home, or on the team server if the project is there. Only
// Approve turns it into a prompt. id is its name.
//
// Errors, with texts for clients: abi.ErrConfig, abi.ErrLimit, abi.ErrConflict;
// abi.ErrDenied, abi.ErrUnavailable and abi.ErrNotFound if it could not be stored.
func (l *Library) ProposePrompt(ctx context.Context, scope flow.Scope, proposal []byte) (id string, err error) {
	p, err := ParseProposal(proposal)
	if err != nil {
		return "", err
	}
	l.proposing.Lock()
	defer l.proposing.Unlock()
	snapshot, project := l.home.State().Snapshot, object.Name(scope.Project)
	o, err := Propose(snapshot, project, p)
	if err != nil {
		return "", err
	}
	if snapshot.IsTeam(object.Key{Kind: object.KindProject, Name: project}) {
		err = l.home.ProposeToTeam(ctx, scope.Project, p)
	} else {
		err = l.storeProposal(o)
	}
	if err != nil {
		l.opts.Log.Warn("a proposal is not stored", "project", scope.Project, "name", p.Name, "error", err)
		return "", proposalError(err)
	}
	l.opts.Log.Info("prompt proposed", "project", scope.Project, "name", p.Name)
	return p.Name, nil
}

// storeProposal writes a proposal to the home.
func (l *Library) storeProposal(o object.Object) error {
	changes, err := l.home.Apply([]object.Object{o}, store.ApplyOptions{DryRun: true})
	if err == nil && changes[0].Action != store.Created { // a file that is not loaded yet, or is invalid
		err = fmt.Errorf("%w: proposal %q is already waiting for review, choose another name", abi.ErrConflict, o.Key().Name)
	}
	if err == nil {
		_, err = l.home.Apply([]object.Object{o}, store.ApplyOptions{})
	}
	return err
}

// proposalError returns an error with a text for clients: errors of files quote paths.
func proposalError(err error) error {
	client := (*flow.ClientError)(nil)
	isClient := errors.As(err, &client)
	for _, kind := range []error{abi.ErrConflict, abi.ErrLimit, abi.ErrConfig, abi.ErrDenied, abi.ErrNotFound, abi.ErrUnavailable} {
		if isClient && errors.Is(err, kind) {
			return fmt.Errorf("%w: %s", kind, client.Why)
		}
	}
	if errors.Is(err, abi.ErrConflict) || errors.Is(err, abi.ErrLimit) || errors.Is(err, abi.ErrConfig) {
		return err
	}
	return fmt.Errorf("%w: it cannot be written to the home, and the log of the daemon has the reason", abi.ErrUnavailable)
}

// Approve turns a proposal into a prompt and removes the proposal.
//
// Errors: abi.ErrNotFound; abi.ErrConflict if that prompt is a link.
func (l *Library) Approve(project, name string, dryRun bool) (store.Change, error) {
	key := object.Key{Kind: object.KindPromptRequest, Project: object.Name(project), Name: object.Name(name)}
	found, ok := l.home.State().Snapshot.Get(key)
	if !ok {
		return store.Change{}, fmt.Errorf("%w: promptrequest %.80q", abi.ErrNotFound, name)
	}
	o, err := NewApprovedPrompt(l.home.State().Snapshot, found.(*object.PromptRequest))
	if err != nil {
		return store.Change{}, err
	}
	changes, err := l.home.Apply([]object.Object{o}, store.ApplyOptions{DryRun: dryRun})
	if err != nil {
		return store.Change{}, err
	}
	if !dryRun {
		_, err = l.home.Delete(key)
	}
	return changes[0], err
}
