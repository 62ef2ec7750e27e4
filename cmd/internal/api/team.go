package api

import (
	"encoding/base64"
	"strings"
	"time"
)

// The types in this file are the bodies of the calls between mcplocal and mcpd, the team
// server. All paths are below /api/v1. Each call but those that log in needs the header
// "Authorization: Bearer TOKEN". A failed call is answered as WriteProblem writes it.

// SourceTeam is the Object.Source of an object that mcpd stores.
const SourceTeam = "team"

// SourceBuiltIn is the Object.Source of an object that is part of the program.
const SourceBuiltIn = "built-in"

// Login is the body of POST /auth/login.
type Login struct {
	User     string     `json:"user"`
	Password Credential `json:"password"`
}

// Identity is a user of an OpenID Connect issuer: an element of GET /identities, and the body
// of PUT /identities, which makes it log in as a user that exists.
type Identity struct {
	Issuer  string   `json:"issuer"`
	Subject string   `json:"subject"`
	User    string   `json:"user"`             // "": the user was deleted, and the identity cannot log in
	Groups  []string `json:"groups,omitempty"` // of the issuer, as of the last login
}

// PasswordChange is the body of POST /auth/password. A caller that changes its own password
// sends the old one; an administrator changes that of another user without it.
type PasswordChange struct {
	User string     `json:"user"`
	Old  Credential `json:"old,omitempty"`
	New  Credential `json:"new"`
}

// TokenRequest is the body of POST /tokens, which creates an API token.
type TokenRequest struct {
	Name           string `json:"name"`
	ServiceAccount string `json:"serviceAccount,omitempty"` // empty creates a token of the caller
	TTL            string `json:"ttl,omitempty"`            // a duration of Go, such as 720h; empty is the server's default
}

// Token is an API token: the answer to POST /tokens, and an element of GET /tokens.
type Token struct {
	ID             string     `json:"id"`
	Name           string     `json:"name"`
	User           string     `json:"user,omitempty"`
	ServiceAccount string     `json:"serviceAccount,omitempty"`
	Created        time.Time  `json:"created,omitzero"`
	Expires        time.Time  `json:"expires,omitzero"`
	LastUsed       time.Time  `json:"lastUsed,omitzero"`
	Token          Credential `json:"token,omitempty"` // only in the answer to POST /tokens
}

// PromptWrite is the body of POST /prompts, which creates a prompt, of PUT /prompts/NAME, which
// changes one, and of POST /promptrequests, which proposes one. PUT keeps the fields that are
// absent. A link has LinkTarget instead of Content; it cannot be changed.
type PromptWrite struct {
	Name       string    `json:"name,omitempty"`
	Project    string    `json:"project,omitempty"`
	Priority   *int      `json:"priority,omitempty"` // 1 to 10
	Summary    *string   `json:"summary,omitempty"`
	Chapters   *[]string `json:"chapters,omitempty"`
	Content    *string   `json:"content,omitempty"`
	LinkTarget *string   `json:"linkTarget,omitempty"`
}

// LinkPending is the Prompt.LinkStatus of a link that no editor of the source project has
// granted, or whose grant no longer holds.
const LinkPending = "pending"

// TeamLink is an element of GET /projects/NAME/links: a prompt of another project that links
// to a resource of this one.
type TeamLink struct {
	Project    string `json:"project"` // of the prompt
	Name       string `json:"name"`
	LinkTarget string `json:"linkTarget"`
	LinkStatus string `json:"linkStatus"` // LinkPending or unknown
	GrantedBy  string `json:"grantedBy,omitempty"`
}

// LinkGrant is the body of PUT /projects/NAME/links, which grants or withdraws a TeamLink.
type LinkGrant struct {
	Project string `json:"project"` // of the prompt
	Name    string `json:"name"`
	Granted bool   `json:"granted"`
}

// Snapshot is the answer to GET /snapshot: all objects that the caller may view, of one
// moment.
type Snapshot struct {
	Version string   `json:"version"` // the position from which GET /watch continues
	Objects []Object `json:"objects"`
}

// The events of GET /watch, a stream of server-sent events. Its position is the query
// parameter since or the header Last-Event-ID.
const (
	// TeamEventChange has a TeamChange as its data, and the version of it as its id.
	TeamEventChange = "change"
	// TeamEventSync has a TeamSync as its data: all changes up to its version were sent.
	TeamEventSync = "sync"
	// TeamEventResync means that the rights of the caller have changed: it must get a new
	// Snapshot.
	TeamEventResync = "resync"
	// TeamEventRevoked means that the token is no longer valid. The stream ends. Its data is
	// {"expired":true} if the token has expired.
	TeamEventRevoked = "revoked"
)

// TeamHeartbeat is the interval of the comment lines that mcpd writes to a stream of events.
const TeamHeartbeat = 15 * time.Second

// The operations of a TeamChange.
const (
	TeamPut    = "put"    // created or changed
	TeamDelete = "delete" // deleted, or no longer visible to the caller
)

// TeamChange is the data of TeamEventChange.
type TeamChange struct {
	Version string  `json:"version"`
	Op      string  `json:"op"`   // TeamPut or TeamDelete
	Kind    string  `json:"kind"` // as in Object.Kind
	Project string  `json:"project,omitempty"`
	Name    string  `json:"name"`
	Object  *Object `json:"object,omitempty"` // of TeamPut
}

// TeamSync is the data of TeamEventSync.
type TeamSync struct {
	Version string `json:"version"`
}

// McpdStatus is the answer to GET /status of mcpd.
type McpdStatus struct {
	Version         string `json:"version"`         // of the program
	Engine          string `json:"engine"`          // the database
	ResourceVersion string `json:"resourceVersion"` // of the last change
}

// The headers of mcpd's answers.
const (
	// HeaderVersion is the version of the store that a listing shows.
	HeaderVersion = "Mcpctl-Version"
	// HeaderOutcome has the value OutcomeUnknown in the answer to a failed call of a server
	// that may have been executed.
	HeaderOutcome  = "Mcpctl-Outcome"
	OutcomeUnknown = "unknown"
)

// ListPage is the number of objects in a page of a listing of mcpd.
const ListPage = 500

// ListCursor returns the value of the query parameter cursor that continues a listing of mcpd
// after an object. The header Link of a page has it too.
func ListCursor(project, name string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(project + "/" + name))
}

// ParseListCursor returns the object that a cursor continues after.
func ParseListCursor(cursor string) (project, name string, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(b), "/")
}

// HeaderRequestID is the header of a call of a server with an id that the client chooses. Calls
// with the same id are sent to the server at most once. A client whose connection broke
// repeats the call with the same id: it gets the answer, or HeaderOutcome if the first try
// was sent.
const HeaderRequestID = "Mcpctl-Request-Id"

// HeaderTraceID is the header of a call of a server with an id that the client chooses for the
// audit log, of 1 to 64 letters, digits and the characters . _ -. Without it mcpd chooses one.
// The daemon sends the session and the number of the request, as its events have them.
const HeaderTraceID = "Mcpctl-Trace-Id"

// TeamCacheEntry is one result of a stage in the cache that a team shares.
type TeamCacheEntry struct {
	Key        []byte `json:"key"` // the cache key of the run, 32 bytes
	Value      []byte `json:"value"`
	ModuleHash string `json:"moduleHash"`
	Producer   string `json:"producer,omitempty"`   // who stored it; set by mcpd
	ProxyModel string `json:"proxyModel,omitempty"` // whose run it was; set by mcpd
}

// TeamCacheGet is the body of POST /cache/get: the keys of results of a ProxyModel in a project,
// at most 100.
type TeamCacheGet struct {
	Project    string   `json:"project"`
	ProxyModel string   `json:"proxyModel"`
	Keys       [][]byte `json:"keys"`
}

// TeamCacheGot is the answer to TeamCacheGet: the results of producers that the caller may trust. A
// key that is not in it has none, unless More is set: then the answer was full, and another
// call may find it.
type TeamCacheGot struct {
	Entries []TeamCacheEntry `json:"entries"`
	More    bool             `json:"more,omitempty"`
}

// TeamCachePut is the body of PUT /cache: results of a ProxyModel in a project, at most 100. The
// caller needs the verb cache on the ProxyModel.
type TeamCachePut struct {
	Project    string           `json:"project"`
	ProxyModel string           `json:"proxyModel"`
	Entries    []TeamCacheEntry `json:"entries"`
}

// TeamCachePurged is the answer to DELETE /cache.
type TeamCachePurged struct {
	Removed int64 `json:"removed"`
}
