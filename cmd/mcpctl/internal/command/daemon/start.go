// Package daemon implements `mcpctl daemon`. It starts and stops the daemon of the home, also for
// other commands.
package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/process"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// startLimit is the maximum time until a daemon is ready.
const startLimit = 15 * time.Second

// raceLimit is the maximum time to wait for a daemon that another process started.
const raceLimit = 2 * time.Second

// maxMessage is the maximum output of a starting daemon that is read, in bytes.
const maxMessage = 1 << 20

// Ready is the line that mcplocal prints when it is ready.
type Ready struct {
	Listening string `json:"listening"`
	Socket    string `json:"socket"`
	PID       int    `json:"pid"`
}

// Ensure returns when a daemon of this version or a newer one answers on the home's socket. It
// starts
// one if none answers. It replaces an older daemon after its calls have ended, using the installed
// service of the home if there is one. Concurrent calls get the same daemon, because only one
// daemon
// can lock the home.
func Ensure(ctx context.Context, f *factory.Factory) error {
	client, err := f.Daemon()
	if err != nil {
		return err
	}
	var listen []string
	st, err := client.Status(ctx)
	if err == nil {
		if !release.Newer(f.Version, st.Version) {
			return nil
		}
		if err := end(ctx, st); err != nil {
			return err
		}
		if restartService(ctx, f, client) {
			return nil
		}
		listen = []string{"--listen", strings.TrimPrefix(st.Listening, "http://")}
	}
	for range maxStarts {
		_, _, err = startOnFreePort(ctx, f, listen...)
		if !errors.Is(err, abi.ErrConflict) {
			return err
		}
		conflict := err
		if err = awaitOther(ctx, f, client, conflict); err == nil || isAddressTaken(conflict) || isHeld(f) {
			return err
		}
		// The daemon that locked the home has ended. A killed daemon releases its lock last.
	}
	return err
}

// maxStarts is the maximum number of starts by Ensure while other daemons end.
const maxStarts = 3

// awaitOther waits until the daemon started by another process answers or ends. If that daemon
// locks
// the home but does not answer, awaitOther returns its error instead of conflict, the error of the
// start.
func awaitOther(ctx context.Context, f *factory.Factory, client *api.Client, conflict error) error {
	for begin := time.Now(); time.Since(begin) < raceLimit; {
		if await(ctx, client, raceLimit/20) {
			return nil
		}
		if !isHeld(f) || ctx.Err() != nil {
			break
		}
	}
	if client.Holder() > 0 && !isAddressTaken(conflict) {
		if _, err := client.Status(ctx); err != nil {
			return err
		}
	}
	return conflict
}

// isHeld reports whether a daemon locks the home, even if it has not written its pid yet.
func isHeld(f *factory.Factory) bool {
	home, err := f.Home()
	if err != nil {
		return false
	}
	_, held, err := homedir.Dir(home).Holder()
	return held || err != nil
}

// startOnFreePort starts the daemon. If another program listens on its address, the daemon is
// started
// on a free port and taken describes that program. Clients that run mcpctl only need the socket.
func startOnFreePort(ctx context.Context, f *factory.Factory, extra ...string) (r Ready, taken, err error) {
	r, err = Start(ctx, f, extra...)
	if isAddressTaken(err) {
		taken = err
		r, err = Start(ctx, f, "--listen", "127.0.0.1:0")
	}
	return r, taken, err
}

// isAddressTaken reports whether Start failed because another program listens on the address. The
// other conflict is a locked home, whose hint contains no address.
func isAddressTaken(err error) bool {
	return errors.Is(err, abi.ErrConflict) && strings.Contains(problem.From(err).Hint, " --listen ")
}

// await waits until a daemon answers, for at most limit.
func await(ctx context.Context, client *api.Client, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if client.Running(ctx) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// Start runs mcplocal detached from this process. Its messages are written to logs/mcplocal.log in
// the
// home.
//
// Errors: abi.ErrConflict if the home or the port is in use.
func Start(ctx context.Context, f *factory.Factory, extra ...string) (Ready, error) {
	home, err := f.Home()
	if err != nil {
		return Ready{}, err
	}
	exe, err := factory.DaemonProgram()
	if err != nil {
		return Ready{}, err
	}
	log, err := openLog(home)
	if err != nil {
		return Ready{}, err
	}
	defer log.Close()
	from, err := log.Seek(0, 2)
	if err != nil {
		return Ready{}, err
	}
	cmd := detached(exe, home, log, extra)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Ready{}, err
	}
	if err := cmd.Start(); err != nil {
		return Ready{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	output := bufio.NewReader(out)
	line, err := output.ReadBytes('\n')
	if err != nil || bytes.HasPrefix(line, []byte(errorLabel)) {
		rest, _ := io.ReadAll(io.LimitReader(output, maxMessage)) // mcplocal has ended or is about to
		ended := cmd.Wait()
		message := lastError(append(line, rest...))
		if message == "" {
			message = tail(log.Name(), from)
		}
		if ctx.Err() != nil { // killed by the AfterFunc above
			return Ready{}, notReady(ctx.Err(), message)
		}
		return Ready{}, startFailed(ended, message)
	}
	var r Ready
	if err := json.Unmarshal(line, &r); err != nil {
		return Ready{}, fmt.Errorf("%s printed %q instead of its address", exe, line)
	}
	go func() { _ = cmd.Wait() }() // avoid a zombie if the daemon ends before this process
	return r, nil
}

// detached returns the command that runs the daemon. It does not use CommandContext, because the
// daemon
// outlives this process. Its environment contains only variables that do not depend on the caller.
func detached(exe, home string, log *os.File, extra []string) *exec.Cmd {
	cmd := exec.Command(exe, append([]string{"serve"}, extra...)...)
	cmd.Env = append(host.DaemonEnvironment(homedir.Dir(home), os.Environ(), config.Variables()...), "MCPCTL_HOME="+home)
	cmd.Dir = home // the caller's directory may be removed
	cmd.Stderr = log
	process.Detach(cmd)
	return cmd
}

// logFile returns the log file of a daemon in the background.
func logFile(home string) string { return filepath.Join(home, "logs", "mcplocal.log") }

func openLog(home string) (*os.File, error) {
	file := logFile(home)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}

// notReady returns the error for a daemon that was killed before it was ready, because of the time
// limit or because the caller's context was canceled.
func notReady(why error, message string) error {
	if errors.Is(why, context.Canceled) {
		return fmt.Errorf("starting the daemon: %w", why)
	}
	p := problem.New(abi.ErrUnavailable, "the daemon was not ready within %v", startLimit)
	p.Cause = message
	return p.WithHint("mcpctl daemon logs")
}

// startFailed returns the error for a daemon that ended with err. message is the error that it
// printed, or "".
func startFailed(err error, message string) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == problem.ExitConflict && message != "" {
		p := problem.From(fmt.Errorf("%w: %s", abi.ErrConflict, message))
		return p.WithHint("%s", strings.Replace(p.Hint, "mcplocal serve", "mcpctl daemon start", 1))
	}
	message, hint, _ := strings.Cut(message, "\nhint: ")
	if hint == "" {
		hint = "mcpctl daemon logs"
	}
	if message == "" {
		message, hint = fmt.Sprintf("mcplocal exited immediately without an error message: %v", err), "mcplocal serve"
	}
	return &problem.Problem{Code: codeOf(exit), Message: "the daemon did not start", Cause: message, Hint: hint}
}

// codeOf returns the error code for the exit status of a daemon. A status without a code of its own
// means that the daemon is unavailable.
func codeOf(exit *exec.ExitError) string {
	if exit != nil {
		for _, p := range problem.Pages() {
			if p.Exit == exit.ExitCode() && p.Exit > problem.ExitUsage {
				return p.Code
			}
		}
	}
	return "E_UNREACHABLE"
}

// tail returns the error that was appended to the log after offset from.
func tail(log string, from int64) string {
	file, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer file.Close()
	message, err := io.ReadAll(io.NewSectionReader(file, from, maxMessage))
	if err != nil {
		return ""
	}
	return lastError(message)
}

// errorLabel is the prefix of errors that mcplocal prints.
const errorLabel = "error: "

// lastError returns the last error in the output of a daemon, without its label and preceding log
// records.
func lastError(message []byte) string {
	text := append([]byte("\n"), message...)
	if at := bytes.LastIndex(text, []byte("\n"+errorLabel)); at >= 0 {
		text = text[at+len("\n"+errorLabel):]
	}
	return string(bytes.TrimSpace(text))
}
