// Package studio is the terminal screen on which a person sees the traffic of a project and steers
// it: a live list of events, the texts of the selected one, and the answers that are held.
//
// Model is the screen without a terminal: Update changes it, Frame draws it. Run connects it to a
// terminal. The packages below lay out text, compare texts, and receive events.
package studio

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/pane"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// Service is the part of the management API that the screen uses.
type Service interface {
	pane.Source
	traffic.Follower
	Events(ctx context.Context, q api.EventQuery) ([]api.Event, error)
	Object(ctx context.Context, kind, project, name string) (api.Object, error)
	Objects(ctx context.Context, kind, project string) ([]api.Object, error)
	Sessions(ctx context.Context, project string) ([]api.Session, error)
	HoldRule(ctx context.Context, project string) (api.HoldRule, error)
	SetHoldRule(ctx context.Context, project string, rule api.HoldRule) (api.HoldRule, error)
	Holds(ctx context.Context, project string) ([]api.Hold, error)
	Release(ctx context.Context, id uint64, r api.Release) error
	ReleaseAll(ctx context.Context, project string) (int, error)
	Corrections(ctx context.Context, project, session string) ([]api.Correction, error)
}

// Options are the dependencies of a screen.
type Options struct {
	Service  Service
	Project  string
	ReadOnly bool

	// SwitchModel writes the proxymodel into the file of the project. An empty name removes
	// the field.
	SwitchModel func(ctx context.Context, model string) error
	// SaveTest writes a correction as a test of a stage and returns the path.
	SaveTest func(ctx context.Context, correction string) (string, error)

	Editor   string           // command, parsed by a shell; empty for the editor of the screen
	Now      func() time.Time // default time.Now
	Location *time.Location   // of times in the list; default time.Local
}

// memoryLimit makes the garbage collector work harder before the process grows beyond it.
const memoryLimit = 40 << 20

// maxFPS is how often bubbletea looks for a frame to write, which delays each frame. Model
// limits the frames.
const maxFPS = 120

// Run shows the screen until the user quits or ctx ends. If it holds answers then, they are
// released.
func Run(ctx context.Context, opt Options, in io.Reader, out io.Writer, env []string) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := NewModel(ctx, opt)
	p := tea.NewProgram(newPaced(m), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env),
		tea.WithFPS(maxFPS), tea.WithoutSignalHandler()) // ctx ends by signals
	_, err := p.Run()
	err = errors.Join(err, m.abandon())
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) {
		return context.Cause(ctx)
	}
	return err
}
