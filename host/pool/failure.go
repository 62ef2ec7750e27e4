package pool

import "github.com/mcpctl/mcpctl/host/upstream"

// Failure describes why the last connection to a server was not usable.
type Failure struct {
	Error  string
	Stderr []string // last lines of a stdio server, without secrets
}

// Limits of Failure.Stderr.
const (
	keptLines     = 20
	keptLineRunes = 500
)

// noteEnd records why a connection that ends was not usable, because people ask after
// the client without tools is closed. A connection that ends while its server is
// starting changes nothing.
func (p *Pool) noteEnd(server string, s upstream.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stderr[server] = lastLines(s.Stderr)
	switch {
	case s.Status == upstream.Ready:
		delete(p.failed, server)
	case s.Error != "":
		p.failed[server] = Failure{s.Error, p.stderr[server]}
	}
}

// setFailure records why a server is not usable.
func (p *Pool) setFailure(server string, f Failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed[server] = f
}

// LastStderr returns the last lines that a server wrote to standard error in its last
// closed connection.
func (p *Pool) LastStderr(server string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr[server]
}

// lastLines returns the last lines, each bounded in length.
func lastLines(lines []string) []string {
	kept := make([]string, 0, keptLines)
	for _, line := range lines[max(0, len(lines)-keptLines):] {
		if r := []rune(line); len(r) > keptLineRunes {
			line = string(r[:keptLineRunes]) + "..."
		}
		kept = append(kept, line)
	}
	return kept
}

// LastFailure returns why the last connection to a server was not usable. ok is false if
// it was usable, or if there was none.
func (p *Pool) LastFailure(server string) (f Failure, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok = p.failed[server]
	return f, ok
}
