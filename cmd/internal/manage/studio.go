package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/correction"
	"github.com/mcpctl/mcpctl/host/hold"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/review"
	"github.com/mcpctl/mcpctl/host/section"
)

// studio implements api.Studio.
type studio struct{ *Service }

// Studio implements api.Service.
func (s *Service) Studio() api.Studio { return studio{s} }

// requireDaemon returns an error if no daemon runs, because only a daemon has traffic.
func (s studio) requireDaemon() error {
	if s.at.PID != 0 {
		return nil
	}
	return problem.New(abi.ErrUnavailable, "no daemon runs, and only a daemon has sessions and events").WithHint("mcpctl daemon start")
}

func (s studio) requireProject(name string) error {
	if _, ok := s.h.Snapshot().Get(object.Key{Kind: object.KindProject, Name: object.Name(name)}); !ok {
		return missingObject(s.h, "project", name)
	}
	return nil
}

// Body implements api.Studio.
func (s studio) Body(_ context.Context, id uint64, kind api.BodyKind) (api.Body, error) {
	if err := s.requireDaemon(); err != nil {
		return api.Body{}, err
	}
	read := s.h.Studio().Originals
	if kind == api.BodyShown {
		read = s.h.Studio().Shown
	}
	texts, err := read(id)
	if err != nil {
		return api.Body{}, err
	}
	b := api.Body{Event: id, Kind: kind, Parts: []api.BodyPart{}}
	for _, t := range texts {
		b.Parts = append(b.Parts, api.BodyPart{Ref: t.Ref, ContentType: t.Type, Source: t.Source, MIME: t.MIME, Text: string(t.Bytes)})
	}
	return b, nil
}

// Coverage implements api.Studio.
func (s studio) Coverage(_ context.Context, id uint64) (api.Coverage, error) {
	if err := s.requireDaemon(); err != nil {
		return api.Coverage{}, err
	}
	list, err := s.h.Studio().Coverage(id)
	if err != nil {
		return api.Coverage{}, err
	}
	v := api.Coverage{Event: id, Parts: []api.CoveragePart{}}
	for _, c := range list {
		v.Parts = append(v.Parts, api.CoveragePart{Ref: c.Ref, Bytes: c.Bytes, Whole: c.Whole, Read: c.Read, Sections: coverageSections(c.Sections, c.Read)})
	}
	return v, nil
}

func coverageSections(sections []section.Outline, read [][2]int) (list []api.CoverageSection) {
	for _, o := range sections {
		list = append(list, api.CoverageSection{ID: o.ID, Title: o.Title, Start: o.Start, End: o.End,
			Read: isCovered(read, o.Start, o.End), Children: coverageSections(o.Children, read)})
	}
	return list
}

func isCovered(read [][2]int, start, end int) bool {
	for _, r := range read {
		if r[0] <= start && end <= r[1] {
			return true
		}
	}
	return false
}

// Replay implements api.Studio.
func (s studio) Replay(ctx context.Context, id uint64) (api.Replay, error) {
	if err := s.requireDaemon(); err != nil {
		return api.Replay{}, err
	}
	list, err := s.h.Studio().Replay(ctx, id)
	if err != nil {
		return api.Replay{}, err
	}
	v := api.Replay{Event: id, Parts: []api.ReplayPart{}}
	for _, r := range list {
		v.Model = r.Model
		v.Parts = append(v.Parts, replayPart(r))
	}
	return v, nil
}

func replayPart(r host.Replay) api.ReplayPart {
	p := api.ReplayPart{Text: string(r.Text), Same: r.Same, IsError: r.Shown.Blocked != "", Tokens: abi.EstimateTokens(r.Text), Stages: []api.ReplayStage{}}
	for _, st := range r.Stages {
		row := api.ReplayStage{Role: st.Report.Role, Outcome: st.Report.Outcome, Error: st.Report.Error, Module: st.Report.ModuleHash,
			Micros: st.Report.Micros, Text: string(st.Text), Meta: st.Report.Meta}
		for _, l := range st.Report.Log {
			row.Log = append(row.Log, l.Level+": "+l.Text)
		}
		p.Stages = append(p.Stages, row)
	}
	return p
}

// Sessions implements api.Studio.
func (s studio) Sessions(_ context.Context, project string) ([]api.Session, error) {
	if err := s.requireDaemon(); err != nil {
		return nil, err
	}
	list := []api.Session{}
	for _, o := range s.h.Studio().Sessions(project) {
		list = append(list, api.Session{ID: o.Scope.Session, Project: o.Scope.Project, Client: o.Client, Model: o.Model, Open: o.Open,
			Opened: o.Opened, Last: o.Last.Time, Events: o.Events, Held: o.Held, AllTools: o.AllTools})
	}
	return list, nil
}

// HoldRule implements api.Studio.
func (s studio) HoldRule(_ context.Context, project string) (api.HoldRule, error) {
	if err := s.requireDaemon(); err != nil {
		return api.HoldRule{}, err
	}
	if err := s.requireProject(project); err != nil {
		return api.HoldRule{}, err
	}
	r, pending, passed := s.h.Studio().Holds().Rule(project)
	return api.HoldRule{All: r.All, Query: r.Query, Pending: pending, Passed: passed}, nil
}

// SetHoldRule implements api.Studio.
func (s studio) SetHoldRule(ctx context.Context, project string, rule api.HoldRule) (api.HoldRule, error) {
	if err := s.requireDaemon(); err != nil {
		return api.HoldRule{}, err
	}
	if err := s.requireProject(project); err != nil {
		return api.HoldRule{}, err
	}
	if err := s.h.Studio().SetHoldRule(project, rule.All, rule.Query); err != nil {
		return api.HoldRule{}, err
	}
	return s.HoldRule(ctx, project)
}

// Holds implements api.Studio.
func (s studio) Holds(_ context.Context, project string) ([]api.Hold, error) {
	if err := s.requireDaemon(); err != nil {
		return nil, err
	}
	list := []api.Hold{}
	for _, a := range s.h.Studio().Holds().List(project) {
		list = append(list, holdOf(a))
	}
	return list, nil
}

// Hold implements api.Studio.
func (s studio) Hold(_ context.Context, id uint64) (api.Hold, error) {
	if err := s.requireDaemon(); err != nil {
		return api.Hold{}, err
	}
	a, err := s.h.Studio().Holds().Get(id)
	if err != nil {
		return api.Hold{}, err
	}
	v := holdOf(a)
	v.Shown = a.Texts
	for _, ref := range a.Info.(review.Held).Event.Refs {
		if c, err := s.h.Storage().Original(a.Project, ref); err == nil { // else it is not known any more
			v.Original = append(v.Original, string(c.Bytes))
		}
	}
	return v, nil
}

func holdOf(a hold.Answer) api.Hold {
	info := a.Info.(review.Held)
	e := info.Event
	v := api.Hold{ID: a.ID, Request: e.Request, Project: a.Project, Session: e.Session, Client: e.Client, Method: e.Method, Source: e.Source,
		Since: a.Since, Deadline: a.Deadline, InTokens: e.InTokens, OutTokens: e.OutTokens, IsError: e.IsError, Type: info.Type}
	if len(e.Runs) > 0 {
		v.Model = e.Runs[0].Model
	}
	return v
}

// actions maps the actions of api.Release to outcomes.
var actions = map[string]string{"release": hold.Released, "drop": hold.Dropped, "edit": hold.Edited}

// Release implements api.Studio.
func (s studio) Release(_ context.Context, id uint64, r api.Release) error {
	if err := s.requireDaemon(); err != nil {
		return err
	}
	outcome, ok := actions[r.Action]
	if !ok {
		return problem.Usagef("unknown action %q, want release, drop or edit", r.Action)
	}
	if (r.Action == "edit") != (len(r.Texts) > 0) {
		return problem.Usagef("action %q with %d texts: an edit needs the texts of the answer, the other actions have none", r.Action, len(r.Texts))
	}
	_, err := s.h.Studio().Holds().End(id, hold.Decision{Outcome: outcome, Texts: r.Texts})
	return err
}

// ReleaseAll implements api.Studio.
func (s studio) ReleaseAll(_ context.Context, project string) (int, error) {
	if err := s.requireDaemon(); err != nil {
		return 0, err
	}
	return s.h.Studio().Holds().ReleaseAll(project), nil
}

// Corrections implements api.Studio. They are files, so it needs no daemon.
func (s studio) Corrections(_ context.Context, project, session string) ([]api.Correction, error) {
	found, err := s.h.Studio().Corrections().List(project, session)
	list := []api.Correction{}
	for _, c := range found {
		list = append(list, correctionOf(c))
	}
	return list, err
}

// Correction implements api.Studio.
func (s studio) Correction(_ context.Context, id string) (api.Correction, error) {
	c, err := s.h.Studio().Corrections().Get(id)
	return correctionOf(c), err
}

func correctionOf(c correction.Correction) api.Correction {
	v := api.Correction{ID: c.ID, EventType: "content_edited", Project: c.Project, SessionID: c.Session, ContentType: c.ContentType, SourceName: c.Source,
		Hint: c.Hint, Original: c.Original, Transformed: c.Transformed, Edited: c.Edited, ActiveModel: c.Model, Timestamp: c.Time, Stages: []api.UsedStage{}}
	for _, st := range c.Stages {
		v.Stages = append(v.Stages, api.UsedStage(st))
	}
	return v
}
