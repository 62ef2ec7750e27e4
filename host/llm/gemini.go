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

// geminiKey is the variable in which Gemini CLI looks for its key.
const geminiKey = "GEMINI_API_KEY"

// geminiAsk goes before what stands on stdin. It is an argument, which all on the
// machine can read, so it is the same each time.
const geminiAsk = "Answer what stands on standard input. Use no tools."

// geminiCLI asks by running Gemini CLI without a terminal: the request on its
// stdin, a folder of its own, a group of its own that is killed when the
// time is over. It has no bound on the length of an answer but ours.
type geminiCLI struct {
	command []string
	model   string
	environ func() ([]string, error)
}

// geminiReply is what it prints with --output-format json.
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
		return reply{}, unavailable("no folder to run in: %v", err)
	}
	defer os.RemoveAll(dir)
	if err := settle(dir); err != nil {
		return reply{}, unavailable("no folder to run in: %v", err)
	}
	printed, err := g.run(ctx, dir, env, strings.TrimSpace(q.System+"\n\n"+q.Prompt))
	if err != nil {
		return reply{}, err
	}
	return geminiAnswer(printed)
}

// geminiSettings keep servers and tools of the user's out of a run: they cost time,
// and one of the servers may be us. Only what is in these lists, nothing, is started.
const geminiSettings = `{"mcp": {"allowed": ["-"]}, "tools": {"core": ["-"]}}`

// settle makes a folder one to run in.
func settle(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, ".gemini"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte(geminiSettings), 0o600)
}

// run gives what the program printed.
func (g *geminiCLI) run(ctx context.Context, dir string, env []string, input string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := append(append([]string(nil), g.command[1:]...), "-p", geminiAsk, "--output-format", "json")
	if g.model != "" {
		args = append(args, "-m", g.model)
	}
	tooMuch := garbage("the program printed over %d bytes", maxReply)
	out, said := &bounded{limit: maxReply, full: func() { cancel(tooMuch) }}, new(tail)
	cmd := exec.CommandContext(ctx, g.command[0], args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), out, said
	cmd.WaitDelay = time.Second // for output that something outside the group holds open
	procgroup.Own(cmd)
	cmd.Cancel = func() error { procgroup.Kill(cmd); return nil }
	if err := cmd.Start(); err != nil {
		return nil, startFault(g.command[0], err)
	}
	err := procgroup.Reap(cmd)
	if ctx.Err() != nil {
		return nil, unanswered(context.Cause(ctx), true)
	}
	if err != nil && len(out.text) == 0 {
		return nil, &fault{text: err.Error() + ": " + said.line(), kind: abi.ErrUnavailable, hurts: true, retry: true}
	}
	return out.text, nil
}

// startFault says that a program cannot be run. Where it was looked for stays out.
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
	f.hurts = true
	return f
}

func geminiAnswer(printed []byte) (reply, error) {
	var got geminiReply
	switch err := json.Unmarshal(printed, &got); {
	case !utf8.Valid(printed):
		return reply{}, garbage("the program printed what is not UTF-8")
	case err != nil:
		return reply{}, garbage("the program printed no JSON: %v", err)
	case got.Error != nil:
		return reply{}, &fault{text: got.Error.Message, kind: abi.ErrUnavailable, hurts: true, retry: true}
	case got.Response == nil:
		return reply{}, garbage("the program printed JSON without a response")
	}
	r := reply{Text: *got.Response}
	for _, m := range got.Stats.Models {
		r.In += m.Tokens.Prompt
		r.Out += m.Tokens.Candidates
	}
	return r, nil
}
