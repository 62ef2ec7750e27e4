package llm

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/procgroup"
)

// geminiKey is the variable from which Gemini CLI reads its key.
const geminiKey = "GEMINI_API_KEY"

// geminiAsk precedes the text on stdin. It is constant, because all users of the machine
// can read arguments.
const geminiAsk = "Answer what stands on standard input. Use no tools."

// geminiCLI runs Gemini CLI without a terminal. It writes the request to stdin, and runs
// the program in a directory and a process group of its own, which is killed when the
// time is over. The length of an answer is limited only by maxReply.
type geminiCLI struct {
	command []string
	model   string
	environ func() ([]string, error)
}

// geminiReply is the output with --output-format json.
type geminiReply struct {
	Response *string
	Error    *struct{ Message string }
	Stats    struct {
		Models map[string]struct {
			Tokens struct{ Prompt, Candidates int }
		}
	}
}

func (g *geminiCLI) complete(ctx context.Context, q request) (reply, error) {
	env, err := g.environ()
	if err != nil {
		return reply{}, err
	}
	dir, err := os.MkdirTemp("", "mcpctl-llm-")
	if err != nil {
		return reply{}, unavailable("no directory to run in: %v", err)
	}
	defer os.RemoveAll(dir)
	if err := prepareDir(dir); err != nil {
		return reply{}, unavailable("no directory to run in: %v", err)
	}
	printed, err := g.run(ctx, dir, env, strings.TrimSpace(q.System+"\n\n"+q.Prompt))
	if err != nil {
		return reply{}, err
	}
	return geminiAnswer(printed)
}

// geminiSettings disable the MCP servers and tools of the user: they cost time, and one
// of the servers may be mcpctl itself. The lists contain no name that exists.
const geminiSettings = `{"mcp": {"allowed": ["-"]}, "tools": {"core": ["-"]}}`

// prepareDir writes the settings of Gemini CLI into the directory that it runs in.
func prepareDir(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, ".gemini"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte(geminiSettings), 0o600)
}

// run returns the output of the program.
func (g *geminiCLI) run(ctx context.Context, dir string, env []string, input string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := append(append([]string(nil), g.command[1:]...), "-p", geminiAsk, "--output-format", "json")
	if g.model != "" {
		args = append(args, "-m", g.model)
	}
	tooMuch := protocolFault("the program printed over %d bytes", maxReply)
	out, stderr := &bounded{limit: maxReply, full: func() { cancel(tooMuch) }}, new(tail)
	cmd := exec.CommandContext(ctx, g.command[0], args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), out, stderr
	cmd.WaitDelay = time.Second // in case a process outside the group keeps the output open
	procgroup.Own(cmd)
	cmd.Cancel = func() error { procgroup.Kill(cmd); return nil }
	if err := cmd.Start(); err != nil {
		return nil, startFault(g.command[0], err)
	}
	err := procgroup.Reap(cmd)
	if ctx.Err() != nil {
		return nil, markAbandoned(context.Cause(ctx), true)
	}
	if err != nil && len(out.text) == 0 {
		return nil, &fault{text: err.Error() + ": " + stderr.line(), kind: abi.ErrUnavailable, countsAgainst: true, retry: true}
	}
	return out.text, nil
}

// startFault returns the fault of a program that cannot be started. Its text does not
// contain the search path.
func startFault(program string, err error) *fault {
	var path *os.PathError
	var search *exec.Error
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &search):
		err = search.Err
	}
	f := unavailable("start %s: %v", filepath.Base(program), err)
	f.countsAgainst = true
	return f
}

func geminiAnswer(printed []byte) (reply, error) {
	var got geminiReply
	switch err := json.Unmarshal(printed, &got); {
	case !utf8.Valid(printed):
		return reply{}, protocolFault("the output of the program is not UTF-8")
	case err != nil:
		return reply{}, protocolFault("the program printed no JSON: %v", err)
	case got.Error != nil:
		return reply{}, &fault{text: got.Error.Message, kind: abi.ErrUnavailable, countsAgainst: true, retry: true}
	case got.Response == nil:
		return reply{}, protocolFault("the program printed JSON without a response")
	}
	r := reply{Text: *got.Response}
	for _, m := range got.Stats.Models {
		r.In += m.Tokens.Prompt
		r.Out += m.Tokens.Candidates
	}
	return r, nil
}
