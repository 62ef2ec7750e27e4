package api

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Team is the part of Service about the team server, mcpd. Without a daemon all calls work,
// but nothing follows mcpd.
type Team interface {
	// Login logs in to a mcpd with a password or an existing token, and follows it from then
	// on, in place of the previous one.
	//
	// Errors: abi.ErrDenied for a wrong password or token, and for an address to which a
	// token would be sent in clear text; abi.ErrUnavailable.
	Login(ctx context.Context, in TeamLogin) (TeamSession, error)
	// StartDevice begins a login by the OpenID Connect issuer of a mcpd. The user confirms it in
	// a browser.
	//
	// Errors: abi.ErrNotFound if mcpd has no issuer; abi.ErrUnavailable.
	StartDevice(ctx context.Context, in TeamDeviceStart) (TeamDeviceLogin, error)
	// PollDevice returns the state of a login that has begun. If the user has confirmed it,
	// PollDevice stores the token as Login does.
	//
	// Errors: abi.ErrDenied and abi.ErrConflict if the user may not log in, abi.ErrNotFound if the
	// login has expired; abi.ErrUnavailable, after which it may be called again.
	PollDevice(ctx context.Context, in TeamDevicePoll) (TeamDeviceResult, error)
	// Logout revokes the token and removes it, together with the objects of mcpd.
	//
	// Errors: abi.ErrDenied if there is no login.
	Logout(ctx context.Context) (TeamLogout, error)
	// Whoami returns the owner of the token.
	//
	// Errors: abi.ErrDenied without a login that mcpd accepts; abi.ErrUnavailable.
	Whoami(ctx context.Context) (TeamSession, error)
	// CanI reports whether the user may do something.
	//
	// Errors: as Whoami.
	CanI(ctx context.Context, q CanI) (CanIAnswer, error)
	// Call makes a call of mcpd's API with the present login. path is relative to /api/v1, and
	// its names are escaped; in and out are the bodies as JSON, nil for none.
	//
	// Errors: as Whoami, those of CheckPath, and those of mcpd.
	Call(ctx context.Context, method, path string, query url.Values, in, out any) error
	// VerifyCache runs the stages of the originals that a project has used last again, sample
	// at most, and compares their results with those in the cache of the team. An empty
	// project selects all projects of mcpd.
	//
	// Errors: abi.ErrUnavailable without a daemon that follows mcpd; abi.ErrConfig for a
	// project that is not of mcpd; as Call.
	VerifyCache(ctx context.Context, project string, sample int) ([]TeamCacheCheck, error)
	// Transfer makes a call with a stream and returns the body of the answer, which the
	// caller closes. It ends when ctx does.
	//
	// Errors, also of reading: as Call.
	Transfer(ctx context.Context, t TeamTransfer) (io.ReadCloser, error)
}

// TeamCacheCheck is the comparison of one result in the cache of the team.
type TeamCacheCheck struct {
	Project  string `json:"project"`
	Role     string `json:"role"`
	Producer string `json:"producer"`
	Key      string `json:"key"`
	Result   string `json:"result"` // TeamCacheEqual, TeamCacheDifferent or TeamCacheUnverifiable
}

// The results of a TeamCacheCheck.
const (
	TeamCacheEqual        = "equal"
	TeamCacheDifferent    = "different"
	TeamCacheUnverifiable = "unverifiable" // its stage may ask an LLM: only its producer is known
)

// Whoami is the answer to GET /auth/whoami: the owner of the token.
type Whoami struct {
	Kind    string    `json:"kind"` // User or ServiceAccount
	Name    string    `json:"name"`
	Groups  []string  `json:"groups,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // of the token; zero if it does not expire
}

// CanI is the body of POST /auth/can-i: whether the caller may do Verb with an object.
type CanI struct {
	Verb    string `json:"verb"`              // view, edit, create, delete, run, cache, operate or admin
	Kind    string `json:"kind"`              // as in Object.Kind
	Name    string `json:"name,omitempty"`    // empty asks about all objects of the kind
	Project string `json:"project,omitempty"` // of objects that belong to a project
}

// CanIAnswer is the answer to CanI.
type CanIAnswer struct {
	Allowed bool     `json:"allowed"`
	By      []string `json:"by,omitempty"` // names of the bindings that allow it
}

// TeamLogin is a request to log in. Either Password or Token is set.
type TeamLogin struct {
	URL      string     `json:"url"` // "" is the address in the settings
	User     string     `json:"user,omitempty"`
	Password Credential `json:"password,omitempty"`
	Token    Credential `json:"token,omitempty"`
}

// TeamSession is a login to mcpd. It does not contain the token.
type TeamSession struct {
	URL string `json:"url"`
	Whoami
	State string `json:"state"` // as Status.Mcpd
}

// TeamDeviceResult is the state of a login. It does not contain the token.
type TeamDeviceResult struct {
	State   string       `json:"state"`             // as DeviceResult.State
	Session *TeamSession `json:"session,omitempty"` // of DeviceDone
}

// TeamLogout is the result of Logout.
type TeamLogout struct {
	URL     string `json:"url"`
	User    string `json:"user"`
	Warning string `json:"warning,omitempty"` // why the token may still be valid
}

// teamHandler serves Team.
type teamHandler struct{ s Service }

func (h teamHandler) addRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/v1/team/login", h.login)
	mux.HandleFunc("POST /api/v1/team/device", h.startDevice)
	mux.HandleFunc("POST /api/v1/team/device/poll", h.pollDevice)
	mux.HandleFunc("POST /api/v1/team/logout", h.logout)
	mux.HandleFunc("GET /api/v1/team/whoami", h.whoami)
	mux.HandleFunc("POST /api/v1/team/can-i", h.canI)
	mux.HandleFunc("GET /api/v1/team/cache/verify", h.verifyCache)
	h.addTransfers(mux)
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		mux.HandleFunc(method+" "+teamAPI+"/{path...}", h.relay)
	}
}

// teamAPI is the path of the daemon below which it relays calls of mcpd's API.
const teamAPI = "/api/v1/team/api"

// CheckPath returns a problem for an escaped path of mcpd's API with a part that is no name or
// id, and that would select another call: "", "." and "..", and those with a slash.
func CheckPath(path string) error {
	parts, ok := strings.CutPrefix(path, "/")
	if !ok {
		return problem.Usagef("the path %q does not begin with a slash", path)
	}
	for part := range strings.SplitSeq(parts, "/") {
		name, err := url.PathUnescape(part)
		if err != nil || name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\") || strings.ContainsAny(part, "?#") {
			p := problem.Usagef("%q is not a name or an id", name)
			p.Cause = `names and ids are not empty, "." or "..", and contain no slash`
			return p
		}
	}
	return nil
}

// relay passes a call on to mcpd.
func (h teamHandler) relay(w http.ResponseWriter, r *http.Request) {
	var in any
	if r.Method != http.MethodGet && r.Method != http.MethodDelete {
		var body json.RawMessage
		if err := decode(w, r, &body); err != nil {
			writeAnswer(w, nil, err)
			return
		}
		in = body
	}
	var out json.RawMessage
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), teamAPI) // mcpd decodes it
	if !ok {
		writeAnswer(w, nil, problem.New(abi.ErrNotFound, "no management call %s %s", r.Method, r.URL.Path))
		return
	}
	err := h.s.Team().Call(r.Context(), r.Method, path, r.URL.Query(), in, &out)
	writeAnswer(w, out, err)
}

func (h teamHandler) addTransfers(mux *http.ServeMux) {
	for _, call := range transfers {
		method, path, _ := strings.Cut(call, " ")
		mux.HandleFunc(method+" "+teamAPI+path, func(w http.ResponseWriter, r *http.Request) { h.transfer(w, r, method, path) })
	}
}

// transfer passes a call on to mcpd without holding its bodies. If the answer ends early, so
// does the connection: the client must not take it for a complete one.
func (h teamHandler) transfer(w http.ResponseWriter, r *http.Request, method, path string) {
	t := TeamTransfer{Method: method, Path: path, Query: r.URL.Query()}
	for _, id := range r.Header.Values(HeaderAgeIdentity) {
		t.Identities = append(t.Identities, Credential(id))
	}
	if method == http.MethodPost {
		var err error
		t.Type, _, err = mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || t.Type != TypeArchive && t.Type != "application/json" { // a web page cannot send these to another site
			writeAnswer(w, nil, problem.Usagef("content type %q, want %s or application/json", t.Type, TypeArchive))
			return
		}
		t.Body = pacedBody{r.Body, http.NewResponseController(w)}
	}
	answer, err := h.s.Team().Transfer(r.Context(), t)
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	defer answer.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	_ = http.NewResponseController(w).Flush() // the client must see that the answer has begun
	if _, err := io.Copy(w, answer); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (h teamHandler) login(w http.ResponseWriter, r *http.Request) {
	var in TeamLogin
	var v TeamSession
	err := decode(w, r, &in)
	if err == nil {
		v, err = h.s.Team().Login(r.Context(), in)
	}
	writeAnswer(w, v, err)
}

func (h teamHandler) startDevice(w http.ResponseWriter, r *http.Request) {
	var in TeamDeviceStart
	var v TeamDeviceLogin
	err := decode(w, r, &in)
	if err == nil {
		v, err = h.s.Team().StartDevice(r.Context(), in)
	}
	writeAnswer(w, v, err)
}

func (h teamHandler) pollDevice(w http.ResponseWriter, r *http.Request) {
	var in TeamDevicePoll
	var v TeamDeviceResult
	err := decode(w, r, &in)
	if err == nil {
		v, err = h.s.Team().PollDevice(r.Context(), in)
	}
	writeAnswer(w, v, err)
}

func (h teamHandler) logout(w http.ResponseWriter, r *http.Request) {
	var v TeamLogout
	err := requireJSON(r)
	if err == nil {
		v, err = h.s.Team().Logout(r.Context())
	}
	writeAnswer(w, v, err)
}

func (h teamHandler) whoami(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Team().Whoami(r.Context())
	writeAnswer(w, v, err)
}

func (h teamHandler) canI(w http.ResponseWriter, r *http.Request) {
	var q CanI
	var v CanIAnswer
	err := decode(w, r, &q)
	if err == nil {
		v, err = h.s.Team().CanI(r.Context(), q)
	}
	writeAnswer(w, v, err)
}

func (h teamHandler) verifyCache(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	sample, err := strconv.Atoi(q.Get("sample"))
	if err != nil {
		writeAnswer(w, nil, problem.Usagef("sample is not a number"))
		return
	}
	v, err := h.s.Team().VerifyCache(r.Context(), q.Get("project"), sample)
	writeAnswer(w, v, err)
}

// Team implements Service.
func (c *Client) Team() Team { return teamClient{c} }

// teamClient implements Team with a daemon.
type teamClient struct{ c *Client }

// Login implements Team.
func (t teamClient) Login(ctx context.Context, in TeamLogin) (v TeamSession, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/login", nil, in, &v)
}

// StartDevice implements Team.
func (t teamClient) StartDevice(ctx context.Context, in TeamDeviceStart) (v TeamDeviceLogin, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/device", nil, in, &v)
}

// PollDevice implements Team.
func (t teamClient) PollDevice(ctx context.Context, in TeamDevicePoll) (v TeamDeviceResult, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/device/poll", nil, in, &v)
}

// Logout implements Team.
func (t teamClient) Logout(ctx context.Context) (v TeamLogout, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/logout", nil, nil, &v)
}

// Whoami implements Team.
func (t teamClient) Whoami(ctx context.Context) (v TeamSession, err error) {
	return v, t.c.call(ctx, http.MethodGet, "/team/whoami", nil, nil, &v)
}

// CanI implements Team.
func (t teamClient) CanI(ctx context.Context, q CanI) (v CanIAnswer, err error) {
	return v, t.c.call(ctx, http.MethodPost, "/team/can-i", nil, q, &v)
}

// Call implements Team.
func (t teamClient) Call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	return t.c.call(ctx, method, "/team/api"+path, query, in, out)
}

// VerifyCache implements Team.
func (t teamClient) VerifyCache(ctx context.Context, project string, sample int) (v []TeamCacheCheck, err error) {
	q := projectQuery(project)
	if q == nil {
		q = make(url.Values)
	}
	q.Set("sample", strconv.Itoa(sample))
	return v, t.c.call(ctx, http.MethodGet, "/team/cache/verify", q, nil, &v)
}

// Transfer implements Team.
func (t teamClient) Transfer(ctx context.Context, in TeamTransfer) (io.ReadCloser, error) {
	target := t.c.URL(teamAPI + in.Path)
	if len(in.Query) > 0 {
		target += "?" + in.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.Method, target, in.Body)
	if err != nil {
		return nil, err
	}
	for name, values := range in.Header() {
		req.Header[name] = values
	}
	if in.Body != nil {
		req.Header.Set("Expect", "100-continue") // no body to a daemon that refuses the call
	}
	resp, err := t.c.do(req) //nolint:bodyclose // the caller closes it
	if err != nil {
		return nil, err
	}
	return cutBody{resp.Body}, nil
}
