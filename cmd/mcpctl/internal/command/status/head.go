package status

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// head writes the lines above the tables to page.
func head(io *iostreams.Streams, page *iostreams.Fold, st api.Status) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(page, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	switch {
	case st.Running:
		line("mcplocal", "%s, version %s, pid %d, %s", io.Paint(iostreams.Green, "running"), st.Version, st.PID, printer.Plural(st.Sessions, "session"))
	case st.PID > 0:
		line("mcplocal", "%s on its socket, but pid %d locks the home", io.Paint(iostreams.Red, "does not answer"), st.PID)
	default:
		line("mcplocal", "%s", io.Paint(iostreams.Yellow, "not running"))
	}
	line("home", "%s", st.Home)
	if st.Running {
		line("address", "%s", st.Listening)
	}
	line("mcpd", "%s", st.Mcpd)
	if st.Shared != "" {
		line("shared", "%s", st.Shared)
	}
	switch {
	case st.Saved > 0:
		line("saved", "%s tokens est. since the daemon started", printer.Count(int(st.Saved)))
	case st.Saved < 0:
		line("tokens", "%s more est. than without mcpctl since the daemon started", printer.Count(int(-st.Saved)))
	}
	if st.Proposals > 0 {
		line("proposals", "%d, see mcpctl get promptrequests", st.Proposals)
	}
}

// loginHint precedes the address of the team server in Status.Mcpd if the user must log in.
const loginHint = "; mcpctl login "

// nextStep returns the command that the user needs next, or "" if a daemon runs and
// there are a server and a project.
func nextStep(st api.Status) string {
	_, login, needsLogin := strings.Cut(st.Mcpd, loginHint)
	switch {
	case !st.Running && st.PID > 0:
		return "mcpctl daemon stop && mcpctl daemon start"
	case needsLogin:
		return "mcpctl login " + login
	case len(st.Problems) > 0 && (len(st.Servers) == 0 || len(st.Projects) == 0):
		return "" // the file may be invalid, and creating it again would fail
	case len(st.Servers) == 0:
		return "mcpctl import"
	case len(st.Projects) == 0:
		return "mcpctl create project home --servers " + st.Servers[0].Name
	case !st.Running:
		return "mcpctl daemon start"
	}
	return ""
}
