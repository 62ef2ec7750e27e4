package toolchain

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/mcpctl/mcpctl/host/procgroup"
)

// residentScript is the program that keeps asc loaded.
//
//go:embed resident.mjs
var residentScript string

// mostResident is the memory at which the compiler is restarted. It uses about 300 MB
// after its start and releases little.
const mostResident = 1 << 30

// resident is AssemblyScript's compiler, loaded once. To start Node.js and to load
// the compiler takes longer than a build, which gets faster still when it is repeated
// in one process. It is begun with the first build; none is safe for concurrent use.
type resident struct {
	node, lib string // lib is asc as a module
	compiler  *compiler
}

// compiler is one that runs.
type compiler struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	dir   string
	built time.Time // of lib: another version may be installed meanwhile
}

// errResident is any trouble with the resident compiler that is none of the source:
// asc is run as a program then.
var errResident = errors.New("asc does not stay resident")

// build runs asc with the arguments in a directory.
//
// Errors: errResident; a *problem.Problem with the compiler's messages; the cause of
// ctx.
func (r *resident) build(ctx context.Context, dir string, args []string) error {
	c, err := r.running(dir)
	if err != nil {
		return fmt.Errorf("%w: %v", errResident, err)
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		procgroup.Kill(c.cmd)
		close(killed)
	})
	a, err := c.ask(args)
	switch {
	case !stop():
		<-killed
		r.close()
		return context.Cause(ctx)
	case err != nil || a.Bytes > mostResident:
		r.close()
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: %v", errResident, err)
	case a.Failed:
		return failure("asc", dir, a.Said)
	}
	return nil
}

// running returns the compiler of a directory. It starts the compiler if necessary.
func (r *resident) running(dir string) (*compiler, error) {
	info, err := os.Stat(r.lib)
	if err != nil {
		return nil, err
	}
	if c := r.compiler; c != nil && c.dir == dir && c.built.Equal(info.ModTime()) {
		return c, nil
	}
	r.close()
	cmd := exec.Command(r.node, "--input-type=module", "--eval", residentScript, r.lib)
	cmd.Dir = dir
	procgroup.Own(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r.compiler = &compiler{cmd: cmd, in: in, out: bufio.NewReader(out), dir: dir, built: info.ModTime()}
	return r.compiler, nil
}

// answer is the result of a build.
type answer struct {
	Failed bool
	Said   string
	Bytes  int // of memory that the compiler has
}

func (c *compiler) ask(args []string) (a answer, err error) {
	if err := json.NewEncoder(c.in).Encode(args); err != nil {
		return a, err
	}
	line, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	return a, err
}

// end kills the compiler, which has nothing to clean up.
func (c *compiler) end() {
	procgroup.Kill(c.cmd)
	_ = procgroup.Reap(c.cmd) // it was killed
}

func (r *resident) close() {
	if r.compiler != nil {
		r.compiler.end()
		r.compiler = nil
	}
}
