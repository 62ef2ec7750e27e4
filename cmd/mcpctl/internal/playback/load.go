package playback

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/recording"
)

// Load reads a recording: a file, - for standard input, the name of a recording of the
// home, or the name of a project, for its newest recording.
//
// Errors: abi.ErrNotFound, abi.ErrConfig with file and line.
func Load(ctx context.Context, f *factory.Factory, name string) (*recording.Recording, error) {
	text, err := f.ReadFile(name)
	if errors.Is(err, abi.ErrNotFound) && !strings.ContainsRune(name, filepath.Separator) {
		text, err = ofHome(ctx, f, name)
	}
	if err != nil {
		return nil, err
	}
	r, err := recording.Parse(factory.Shown(name), text)
	if err != nil {
		return nil, problem.From(err).WithHint("mcpctl get recordings")
	}
	return r, nil
}

// ofHome reads the recording with a name, or the newest one of a project.
func ofHome(ctx context.Context, f *factory.Factory, name string) ([]byte, error) {
	s, done, err := f.Service(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	list, err := s.Recordings().List(ctx, name)
	if err != nil {
		return nil, err
	}
	if n := len(list); n > 0 {
		name = list[n-1].Name
	}
	return s.Recordings().Read(ctx, strings.TrimSuffix(name, recording.Extension))
}
