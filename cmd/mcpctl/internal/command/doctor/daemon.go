package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// checkDaemon checks that the daemon answers and has this version, and that no stale socket exists.
func (e *exam) checkDaemon(ctx context.Context) (status api.Status, running bool) {
	client, err := e.F.Daemon()
	if err != nil {
		e.fail("daemon", err, "mcpctl daemon start")
		return status, false
	}
	status, err = client.Status(ctx)
	switch {
	case err == nil && release.Newer(e.F.Version, status.Version):
		e.add(levelWarning, "daemon", "mcpctl daemon stop && mcpctl daemon start", "has version %s, mcpctl has %s", status.Version, e.F.Version)
	case err == nil && release.Newer(status.Version, e.F.Version):
		e.add(levelWarning, "daemon", "type -a mcpctl", "has version %s, mcpctl has %s: an older mcpctl is first in PATH", status.Version, e.F.Version)
	case err == nil:
		e.add(levelOK, "daemon", "", "running, version %s, pid %d", status.Version, status.PID)
	case errors.Is(err, abi.ErrUnavailable) && e.F.Holder() > 0:
		e.fail("daemon", err, "mcpctl daemon stop && mcpctl daemon start")
	case errors.Is(err, abi.ErrUnavailable):
		e.checkSocket()
	default:
		e.fail("daemon", err, "mcpctl daemon logs")
	}
	return status, err == nil
}

// checkSocket checks for a stale socket.
func (e *exam) checkSocket() {
	socket := homedir.Dir(e.home).Socket()
	if _, err := os.Lstat(socket); err != nil {
		e.add(levelOK, "daemon", "", "not running; it is started when needed")
		return
	}
	lock, err := homedir.Dir(e.home).Lock()
	if err != nil {
		e.add(levelError, "daemon", "mcpctl daemon logs", "does not answer on its socket, but locks the home: %v", err)
		return
	}
	defer lock.Close()
	e.add(levelWarning, "daemon", "mcpctl doctor --fix", "not running; %s was left by a crashed daemon", socket)
	if !e.Fix {
		return
	}
	f := &e.findings[len(e.findings)-1]
	if err := os.Remove(socket); err != nil {
		f.Message += "; --fix: " + err.Error()
		return
	}
	f.Fixed = true
}

// checkAddress checks that the daemon listens, or can listen, on the configured address, which
// clients
// with an HTTP entry use.
func (e *exam) checkAddress(status api.Status, running bool) {
	if e.settings == nil {
		return // checkHome has reported it
	}
	address := e.settings.Listen()
	if _, port, err := net.SplitHostPort(address); err == nil && port == "0" {
		return // any port
	}
	if running && status.Listening == "http://"+address {
		e.add(levelOK, "address", "", "%s", status.Listening)
		return
	}
	l, err := net.Listen("tcp", address)
	if err == nil {
		l.Close()
	}
	taken := errors.Is(err, syscall.EADDRINUSE)
	switch {
	case taken && running: // a restart would not get the address either
		e.add(levelWarning, "address", "mcpctl config set mcplocal-url "+status.Listening, "another program listens on %s; the daemon listens on %s", address, status.Listening)
	case taken:
		e.add(levelWarning, "address", "mcpctl config set mcplocal-url "+freeAddress(address), "another program listens on %s; the daemon will take a free port", address)
	case running:
		e.add(levelWarning, "address", "mcpctl daemon stop && mcpctl daemon start", "the daemon listens on %s, but the setting mcplocal-url is http://%s", status.Listening, address)
	case err != nil:
		e.add(levelError, "address", "mcpctl config view", "the daemon cannot listen on %s: %v", address, err)
	default:
		e.add(levelOK, "address", "", "%s is free", address)
	}
}

// freeAddress returns the first free port above that of address, so that repeated runs of doctor
// give
// the same advice. If there is none, it returns port 0, which selects a port at each start.
func freeAddress(address string) string {
	const tries = 20
	_, port, _ := net.SplitHostPort(address) // an invalid address has port 0
	used, _ := strconv.Atoi(port)
	for next := used + 1; next <= used+tries; next++ {
		free := net.JoinHostPort("127.0.0.1", strconv.Itoa(next))
		if l, err := net.Listen("tcp", free); err == nil {
			l.Close()
			return "http://" + free
		}
	}
	return "http://127.0.0.1:0"
}
