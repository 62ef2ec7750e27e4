package proxy

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// Client is a client as it described itself in initialize.
type Client struct {
	Name            string
	Version         string
	ProtocolVersion string          // the negotiated version
	Info            json.RawMessage // clientInfo as it came, nil if absent
	Capabilities    json.RawMessage // as they came, nil if absent
	Dir             string          // its working directory on this machine, not checked; "" if unknown
}

// IsStateless reports whether the client speaks the version without sessions.
func (c Client) IsStateless() bool { return c.ProtocolVersion == stateless.Version }

// Profile describes a kind of client beyond its own declarations.
type Profile struct {
	ListChanged       bool // reads a list again after list_changed, and its model sees the new tools
	StructuredOnly    bool // shows the model only structuredContent, if a result has it
	InstructionsChars int  // UTF-16 units of instructions that reach the model
	ResultChars       int  // UTF-16 units up to which an answer stays in the context

	// DiscardsTools means that the model does not see the new tools although the client reads
	// the list again, so that reading it proves nothing.
	DiscardsTools bool

	// GreetingWait limits how long initialize waits for the instructions of servers that
	// are starting; 0 means up to Options.ListWait. The first lists wait for these servers.
	GreetingWait time.Duration
}

// anyClient is the profile of an unknown client.
var anyClient = Profile{ListChanged: true, InstructionsChars: 2048, ResultChars: 50_000}

// profiles are the known clients, by the name in clientInfo in lower case. Claude Code was
// measured. The others are documented, by the sources that docs/clients.md names: a client is
// listed if something is known that differs from anyClient. No differences between versions
// are known.
var profiles = map[string]Profile{
	"claude-code": {ListChanged: true, StructuredOnly: true, InstructionsChars: 2048, ResultChars: 50_000, GreetingWait: 3 * time.Second},

	// Codex CLI does not read the tools again (openai/codex#37417, 2026-09-07). Its model reads
	// only structuredContent (openai/codex#38287, 2026-08-13).
	"codex-mcp-client": anyClient.with(func(p *Profile) { p.ListChanged, p.StructuredOnly = false, true }),

	// VS Code leaves out the text blocks of a result with structuredContent
	// (microsoft/vscode, mcpLanguageModelToolContribution.ts).
	"visual studio code": anyClient.with(func(p *Profile) { p.StructuredOnly = true }),

	// Claude Desktop reads the tools again, and its model cannot call the new ones
	// (anthropics/claude-ai-mcp#960, 2026-08-30).
	"claude-ai": anyClient.with(func(p *Profile) { p.ListChanged, p.DiscardsTools = false, true }),
}

// with returns a profile with changes.
func (p Profile) with(change func(*Profile)) Profile {
	change(&p)
	return p
}

// ProfileOf returns the profile of a client.
func ProfileOf(c Client) Profile {
	if p, ok := profiles[strings.ToLower(c.Name)]; ok {
		return p
	}
	return anyClient
}

// versions are the supported protocol versions with sessions, the newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// negotiate returns the version for a client that requests one.
func negotiate(requested string) string {
	if slices.Contains(versions, requested) {
		return requested
	}
	return versions[0]
}

// supportedVersions returns the protocol versions that clients of a project may speak, the
// newest first.
func supportedVersions(p *Project) []string {
	switch p.Protocol {
	case "":
		return append([]string{stateless.Version}, versions...)
	case stateless.Version:
		return []string{stateless.Version}
	}
	return versions
}

// allows reports whether clients of the project may speak versions of a kind.
func (p *Project) allows(isStateless bool) bool {
	return p.Protocol == "" || (p.Protocol == stateless.Version) == isStateless
}

// unsupportedVersion returns an error that lists the supported versions.
func unsupportedVersion(versions []string, requested string) *jsonrpc.Error {
	e := jsonrpc.Errorf(stateless.CodeUnsupportedVersion, "protocol version %q is not supported", requested)
	var supported [][]byte
	for _, v := range versions {
		supported = append(supported, jsonedit.Quote(v))
	}
	e.Data = jsonedit.Object(jsonedit.Raw("supported", jsonedit.Array(supported...)), jsonedit.String("requested", requested))
	return e
}

// ClientDirHeader carries the working directory of a client on this machine, escaped
// like the path of a URL. `mcpctl mcp` sends it with initialize. A server for clients
// that may not choose a directory must remove it from their requests.
const ClientDirHeader = "Mcpctl-Client-Cwd"

// clientDir returns the directory of the client, "" if it sent none. Upstreams decides
// whether it may be used.
func clientDir(r *http.Request) (string, error) {
	dir, err := url.PathUnescape(r.Header.Get(ClientDirHeader))
	if err != nil {
		return "", jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "header %s is not an escaped path", ClientDirHeader)
	}
	return dir, nil
}
