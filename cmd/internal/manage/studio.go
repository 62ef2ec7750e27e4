package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

var errSoon = problem.New(abi.ErrUnavailable, "under construction")

// Body implements api.Service.
func (s *Service) Body(context.Context, uint64, api.BodyKind) (api.Body, error) {
	return api.Body{}, errSoon
}

// Coverage implements api.Service.
func (s *Service) Coverage(context.Context, uint64) (api.Coverage, error) {
	return api.Coverage{}, errSoon
}

// Replay implements api.Service.
func (s *Service) Replay(context.Context, uint64) (api.Replay, error) { return api.Replay{}, errSoon }

// Sessions implements api.Service.
func (s *Service) Sessions(context.Context, string) ([]api.Session, error) { return nil, errSoon }

// HoldRule implements api.Service.
func (s *Service) HoldRule(context.Context, string) (api.HoldRule, error) {
	return api.HoldRule{}, errSoon
}

// SetHoldRule implements api.Service.
func (s *Service) SetHoldRule(context.Context, string, api.HoldRule) (api.HoldRule, error) {
	return api.HoldRule{}, errSoon
}

// Holds implements api.Service.
func (s *Service) Holds(context.Context, string) ([]api.Hold, error) { return nil, errSoon }

// Hold implements api.Service.
func (s *Service) Hold(context.Context, uint64) (api.Hold, error) { return api.Hold{}, errSoon }

// Release implements api.Service.
func (s *Service) Release(context.Context, uint64, api.Release) error { return errSoon }

// ReleaseAll implements api.Service.
func (s *Service) ReleaseAll(context.Context, string) (int, error) { return 0, errSoon }

// Corrections implements api.Service.
func (s *Service) Corrections(context.Context, string, string) ([]api.Correction, error) {
	return nil, errSoon
}

// Correction implements api.Service.
func (s *Service) Correction(context.Context, string) (api.Correction, error) {
	return api.Correction{}, errSoon
}
