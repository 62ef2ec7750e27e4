package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// subject is the measured stage.
type subject struct {
	name   string // of the role; empty: the module's only one
	module string // where it is from
	wasm   []byte
	plug   string // its fixtures; empty: none
}

// find opens the stage in a plugin directory, in a module file, or with a role name.
func find(ctx context.Context, opts *Options) (subject, error) {
	if strings.HasSuffix(opts.Stage, ".wasm") {
		b, err := opts.F.ReadFile(opts.Stage)
		return subject{name: opts.Role, module: opts.Stage, wasm: b}, err
	}
	if info, err := os.Stat(opts.Stage); err == nil && info.IsDir() {
		return openPlugin(ctx, opts)
	}
	if opts.Role != "" && opts.Role != opts.Stage {
		return subject{}, problem.Usagef("--role %s: %q names a role already", opts.Role, opts.Stage).WithHint("mcpctl stage bench %s", opts.Role)
	}
	return ofName(ctx, opts)
}

func openPlugin(ctx context.Context, opts *Options) (subject, error) {
	plug, err := plugin.Open(opts.Stage)
	if err != nil {
		return subject{}, err
	}
	file, wasm, err := plug.Fresh(ctx, opts.F.Env, opts.F.IO.Progress)
	return subject{plug.Role().Name, file, wasm, plug.Dir}, err
}

// ofName takes the module in which a role lies: a local one, else a built-in.
func ofName(ctx context.Context, opts *Options) (subject, error) {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return subject{}, err
	}
	defer done()
	stages, err := s.Stages(ctx)
	if err != nil {
		return subject{}, err
	}
	var names []string
	for _, st := range stages {
		if names = append(names, st.Name); st.Name != opts.Stage {
			continue
		}
		if wasm, ok := host.BuiltinModule(st.Name); ok && st.Source == "built-in" {
			return subject{name: st.Name, module: "built-in", wasm: wasm}, nil
		}
		home, err := opts.F.Home()
		if err != nil {
			return subject{}, err
		}
		file := filepath.Join(home, "stages", filepath.Base(st.File))
		wasm, err := os.ReadFile(file)
		out := subject{name: st.Name, module: file, wasm: wasm}
		if st.Plugin != nil {
			out.plug = st.Plugin.Path
		}
		return out, err
	}
	p := problem.New(abi.ErrNotFound, "stage %q not found", opts.Stage)
	if near := suggest.Nearest(opts.Stage, names); near != "" {
		p.Cause = "did you mean " + near + "?"
	}
	return subject{}, p.WithHint("mcpctl get stages")
}

// call returns the call that a fixture describes, or the default call without one.
func (s subject) call(opts *Options) (lab.Call, error) {
	if opts.Fixture == "" {
		return lab.Call{}, nil
	}
	path := opts.Fixture
	var names []string
	for _, p := range fixture.Glob(s.plug) {
		name := strings.TrimSuffix(filepath.Base(p), ".txtar")
		if names = append(names, name); name == opts.Fixture {
			path = p
		}
	}
	a, err := fixture.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		p := problem.New(abi.ErrNotFound, "fixture %q not found", opts.Fixture)
		if near := suggest.Nearest(opts.Fixture, names); near != "" {
			p.Cause = "did you mean " + near + "?"
		}
		return lab.Call{}, p.WithHint("mcpctl stage bench --help")
	}
	if err != nil {
		return lab.Call{}, err
	}
	return a.Call(s.name)
}

// contents returns the inputs of the stage: a file, or a text of each size that is derived
// from the input of a fixture or from a built-in text.
func (s subject) contents(opts *Options, text []byte, sizes []int) ([][]byte, error) {
	if opts.File != "" {
		b, err := opts.F.ReadFile(opts.File)
		return [][]byte{b}, err
	}
	if len(text) == 0 {
		text = s.sample()
	}
	var list [][]byte
	for _, n := range sizes {
		content := grow(text, n)
		if len(list) > 0 && len(content) > n && len(content) == len(list[len(list)-1]) {
			continue // JSON that is larger than this size, and was measured already
		}
		list = append(list, content)
	}
	return list, nil
}

// sample is the largest input among the fixtures, else Markdown.
func (s subject) sample() []byte {
	var largest []byte
	for _, path := range fixture.Glob(s.plug) {
		a, err := fixture.Read(path)
		if err != nil {
			continue
		}
		if c, err := a.Call(s.name); err == nil && len(c.Input) > len(largest) {
			largest = c.Input
		}
	}
	if len(bytes.TrimSpace(largest)) > 0 {
		return largest
	}
	var b bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&b, "## Part %d\n\nThe pump of room %d runs at %d.%d bar; see https://example.com/%d. It MUST be looked at once a year.\n\n", i, i*7%40, i%4, i%10, i)
	}
	return b.Bytes()
}

// fill repeats a text up to a size, cut at the end of a character.
func fill(text []byte, n int) []byte {
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), '\n')
	}
	out := bytes.Repeat(text, n/len(text)+1)
	for n > 0 && out[n]&0xC0 == 0x80 {
		n--
	}
	return out[:n]
}
