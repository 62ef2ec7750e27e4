package clients

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Server is the server that an entry of a client's file runs. Its values use the reference syntax
// of
// mcpctl.
type Server struct {
	Command  string
	Args     []string
	Env      map[string]string
	PassEnv  []string
	Cwd      string
	Fixed    bool // the working directory matters: the entry sets it or uses a relative path
	URL      string
	UserInfo bool // the entry's address contained a user or password, which is now in Headers
	Headers  map[string]string
	Timeout  time.Duration
	Disabled bool
	Inputs   []string // variables that replace inputs for which the client prompts its user
	Ignored  []string // settings of the entry without a counterpart in mcpctl
}

// ClientDir is the working directory of the client, which is also the default of entries in the
// client's own file. Sessions over HTTP have no directory and use the user's home.
const ClientDir = "${" + secret.ClientDirVariable + ":-~}"

// EntryError describes why an entry cannot be read, and the field at fault.
type EntryError struct {
	Field string // "" for the whole entry
	Text  string
}

func (e *EntryError) Error() string { return e.Text }
func (e *EntryError) Unwrap() error { return abi.ErrConfig }

// fields is the union of the entry settings of all clients that mcpctl reads. No two clients use
// one
// name with different meanings.
type fields struct {
	Type              string            `json:"type"`
	Transport         string            `json:"transport"`
	Command           string            `json:"command"`
	Args              []string          `json:"args"`
	Env               map[string]string `json:"env"`
	EnvVars           []string          `json:"env_vars"` // Codex
	Cwd               string            `json:"cwd"`
	URL               string            `json:"url"`
	HTTPURL           string            `json:"httpUrl"`   // Gemini CLI
	ServerURL         string            `json:"serverUrl"` // Windsurf
	Headers           map[string]string `json:"headers"`
	HTTPHeaders       map[string]string `json:"http_headers"`         // Codex
	EnvHTTPHeaders    map[string]string `json:"env_http_headers"`     // Codex: values are names of variables
	BearerTokenEnvVar string            `json:"bearer_token_env_var"` // Codex
	Timeout           float64           `json:"timeout"`              // milliseconds
	ToolTimeoutSec    float64           `json:"tool_timeout_sec"`     // Codex
	Disabled          bool              `json:"disabled"`
	Enabled           *bool             `json:"enabled"` // Codex
}

// transports lists the transport types that mcpctl supports, in the spellings of all clients.
var transports = []string{"", "stdio", "http", "streamable-http", "streamableHttp", "streamable_http"}

// Read decodes an entry.
//
// Errors: *EntryError; its text contains no values of the entry.
func (c Client) Read(e clientconfig.Entry, at Place) (Server, error) {
	var f fields
	if err := json.Unmarshal(e.Raw, &f); err != nil {
		return Server{}, wrongType(err)
	}
	s := Server{Command: f.Command, Args: f.Args, Env: f.Env, PassEnv: f.EnvVars, Cwd: f.Cwd, Headers: f.headers()}
	s.Disabled = f.Disabled || f.Enabled != nil && !*f.Enabled
	s.URL = firstOf(f.URL, f.HTTPURL, f.ServerURL)
	kind := firstOf(f.Type, f.Transport)
	switch {
	case s.Command == "" && s.URL == "":
		return s, &EntryError{"", "has neither command nor url"}
	case kind == "sse":
		return s, &EntryError{"type", "uses the old SSE transport; use its streamable HTTP address"}
	case !slices.Contains(transports, kind):
		return s, &EntryError{"type", fmt.Sprintf("type %.40q is unknown, want stdio or http", kind)}
	}
	s.Ignored = ignored(e.Raw)
	if err := s.readTimeout(f); err != nil {
		return s, err
	}
	if err := s.translate(c.references, at); err != nil {
		return s, err
	}
	s.addVariableHeaders(f)
	if s.Command != "" {
		s.URL, s.Headers = "", nil
		s.resolveCwd(at)
		return s, nil
	}
	return s, s.moveUserInfo()
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// ignored returns the settings of an entry that are not read, in alphabetical order.
func ignored(raw json.RawMessage) []string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil
	}
	for f := range reflect.TypeFor[fields]().Fields() {
		delete(all, f.Tag.Get("json"))
	}
	return slices.Sorted(maps.Keys(all))
}

// wrongType returns the error for a field of a wrong type.
func wrongType(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return &EntryError{"", "is invalid JSON"}
	}
	if wrong.Field == "" {
		return &EntryError{"", "is " + wrong.Value + ", want an object"}
	}
	field, _, _ := strings.Cut(wrong.Field, ".")
	kind := wrong.Type.Kind()
	return &EntryError{field, fmt.Sprintf("%s is %s, want %s", wrong.Field, wrong.Value, typeNames[kind])}
}

// typeNames maps the types of fields to their names in error messages.
var typeNames = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Slice: "a list of strings", reflect.Map: "an object of strings",
	reflect.Float64: "a number", reflect.Bool: "true or false",
}

func (s *Server) readTimeout(f fields) error {
	seconds, field := f.Timeout/1000, "timeout"
	if f.ToolTimeoutSec != 0 {
		seconds, field = f.ToolTimeoutSec, "tool_timeout_sec"
	}
	if seconds < 0 || seconds > (24*time.Hour).Seconds() || math.IsNaN(seconds) {
		return &EntryError{field, field + " is not between 0 and 24 hours"}
	}
	s.Timeout = time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
	return nil
}

// translate converts the references in all values.
func (s *Server) translate(r references, at Place) error {
	var failed error
	read := func(field, value string) string {
		if r == editorReferences {
			s.Inputs = append(s.Inputs, inputsOf(value)...)
		}
		out, err := r.read(value, at)
		if err != nil && failed == nil {
			failed = &EntryError{field, field + " " + err.Error()}
		}
		return out
	}
	s.Command = read("command", s.Command)
	for i, arg := range s.Args {
		s.Args[i] = read("args", arg)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		s.Env[name] = read("env", s.Env[name])
	}
	s.Cwd = read("cwd", s.Cwd)
	s.URL = read("url", s.URL)
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		s.Headers[name] = read("headers", s.Headers[name])
	}
	return failed
}

// headers merges the headers of all spellings.
func (f fields) headers() map[string]string {
	all := make(map[string]string)
	maps.Copy(all, f.Headers)
	maps.Copy(all, f.HTTPHeaders)
	return all
}

// addVariableHeaders adds the headers whose values Codex reads from environment variables.
func (s *Server) addVariableHeaders(f fields) {
	for name, variable := range f.EnvHTTPHeaders {
		s.Headers[name] = "${" + variable + "}"
	}
	if f.BearerTokenEnvVar != "" {
		s.Headers["Authorization"] = "Bearer ${" + f.BearerTokenEnvVar + "}"
	}
}

// resolveCwd sets the directory in which the client would run the command: the directory of the
// entry,
// resolved against that of the file; otherwise the directory of the project; otherwise the working
// directory of the client.
func (s *Server) resolveCwd(at Place) {
	base := at.Dir
	s.Fixed = s.Cwd != "" || isRelativeProgram(s.Command) || slices.ContainsFunc(s.Args, func(arg string) bool { return isRelative(arg, base) })
	switch {
	case s.Cwd == "" && base == "":
		s.Cwd = ClientDir
	case s.Cwd == "":
		s.Cwd = EscapeDir(base)
	case filepath.IsAbs(s.Cwd) || strings.HasPrefix(s.Cwd, "~") || strings.HasPrefix(s.Cwd, "${"):
	case base == "":
		s.Cwd = ClientDir + "/" + filepath.ToSlash(filepath.Clean(s.Cwd))
	default:
		s.Cwd = filepath.Join(EscapeDir(base), s.Cwd)
	}
}

// isRelativeProgram reports whether a command is a path relative to the working directory. A name
// without a separator is looked up in PATH.
func isRelativeProgram(command string) bool {
	return strings.ContainsRune(command, '/') && !filepath.IsAbs(command) && !strings.HasPrefix(command, "~") && !strings.HasPrefix(command, "${")
}

// isRelative reports whether an argument is a path relative to the working directory: it begins
// with a
// dot, or names an existing file of that directory, as in "node server.js".
func isRelative(arg, dir string) bool {
	if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
		arg = value
	}
	if arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") {
		return true
	}
	if arg == "" || dir == "" || filepath.IsAbs(arg) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, arg))
	return err == nil
}

// EscapeDir escapes a path that contains no references.
func EscapeDir(path string) string { return strings.ReplaceAll(path, "${", "$${") }

// moveUserInfo moves a user and password in the URL to an Authorization header, like the clients
// do,
// because the URL of a Server must not contain credentials.
func (s *Server) moveUserInfo() error {
	scheme, rest, _ := strings.Cut(s.URL, "://")
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return nil
	}
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return &EntryError{"url", "url contains a user or password in addition to an Authorization header; remove one of them"}
		}
	}
	info := authority[:at]
	if strings.Contains(info, "${") {
		return &EntryError{"url", "url contains a user or password with a reference; move it to an Authorization header"}
	}
	name, password, _ := strings.Cut(info, ":")
	plainName, errName := url.PathUnescape(name)
	plainPassword, errPassword := url.PathUnescape(password)
	if errName != nil || errPassword != nil {
		return &EntryError{"url", "url contains a user or password with an invalid escape"}
	}
	s.URL, s.UserInfo = scheme+"://"+rest[at+1:], true
	s.Headers["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(plainName+":"+plainPassword))
	return nil
}

// Manifest encodes the Server as an object of mcpctl, in JSON, which is valid YAML.
func (s Server) Manifest(name string) ([]byte, error) {
	spec := map[string]any{}
	if s.Command != "" {
		spec["command"] = append([]string{s.Command}, s.Args...)
		addUnlessEmpty(spec, "env", s.Env)
		if len(s.PassEnv) > 0 {
			spec["passEnv"] = s.PassEnv
		}
		if s.Cwd != "" {
			spec["cwd"] = s.Cwd
		}
	} else {
		spec["url"] = s.URL
		addUnlessEmpty(spec, "headers", s.Headers)
	}
	if s.Timeout > 0 {
		spec["timeout"] = s.Timeout.String()
	}
	return json.Marshal(map[string]any{"kind": "Server", "metadata": map[string]any{"name": name}, "spec": spec})
}

func addUnlessEmpty(spec map[string]any, name string, values map[string]string) {
	if len(values) > 0 {
		spec[name] = values
	}
}

// IsMcpctl reports whether an entry runs mcpctl. Importing it would make the proxy its own server.
func (s Server) IsMcpctl() bool {
	if s.Command != "" {
		return s.startsBridge()
	}
	_, ok := s.endpointProject()
	return ok
}

// IsStudio reports whether an entry runs Model Studio as an MCP server.
func (s Server) IsStudio() bool {
	return s.isProgram() && len(s.Args) > 0 && s.Args[0] == "console" && slices.Contains(s.Args, "--stdin-mcp")
}

// Project returns the project that an entry of mcpctl connects to, or "" for other entries.
func (s Server) Project() string {
	if s.Command == "" {
		project, _ := s.endpointProject()
		return project
	}
	i := slices.Index(s.Args, "--project")
	if i < 0 || i+1 >= len(s.Args) || !s.startsBridge() {
		return ""
	}
	return s.Args[i+1]
}

// Home returns the mcpctl home that an entry uses; current is the home of this command. Entries of
// a
// shared file contain no paths of this machine and use the home of the environment. Entries over
// HTTP
// use the daemon's home, assumed to be current.
func (s Server) Home(at Place, env Env, current string) string {
	byDefault := filepath.Join(env.Home, ".mcpctl")
	if at.Scope == Project || s.URL != "" {
		byDefault = current
	}
	return filepath.Clean(cmp.Or(s.Env["MCPCTL_HOME"], byDefault))
}

// startsBridge reports whether the command is mcpctl mcp.
func (s Server) startsBridge() bool {
	return s.isProgram() && len(s.Args) > 0 && s.Args[0] == "mcp"
}

func (s Server) isProgram() bool {
	return strings.TrimSuffix(filepath.Base(s.Command), ".exe") == "mcpctl"
}

// endpointProject returns the project if the URL is an endpoint of the daemon.
func (s Server) endpointProject() (project string, ok bool) {
	u, err := url.Parse(s.URL)
	if err != nil || !slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, u.Hostname()) {
		return "", false
	}
	path, isProject := strings.CutPrefix(u.Path, "/projects/")
	project, isEndpoint := strings.CutSuffix(path, "/mcp")
	return project, isProject && isEndpoint
}

// Runs reports whether an entry is one that connect writes for a project.
func (s Server) Runs(project string) bool {
	if s.Command != "" {
		return slices.Equal(s.Args, []string{"mcp", "--project", project})
	}
	u, err := url.Parse(s.URL)
	return err == nil && u.Path == "/projects/"+project+"/mcp"
}
