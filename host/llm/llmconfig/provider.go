package llmconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// defaultURLs are the addresses of providers that have one.
var defaultURLs = map[string]string{OpenAI: "https://api.openai.com/v1", Anthropic: "https://api.anthropic.com"}

func readProvider(m *strictyaml.Mapping) (p Provider) {
	p.At, p.Revision = m.Value().At, revisionOf(m.Value())
	if v, ok := m.Need("name"); ok {
		if p.Name = object.ReadName(m, v, "name"); p.Name == "none" {
			m.Fail(v.At, m.Path("name"), `"none" is reserved: a project writes it to disable the LLM`)
		}
	}
	if _, ok := m.Need("type"); ok {
		p.Type = m.Word("type", "", OpenAI, Anthropic, GeminiCLI, Managed, Fake)
	}
	p.MaxConcurrent = m.Int("maxConcurrent", 4, 1, 256)
	p.Timeout = readPositive(m, "timeout", time.Minute)
	if rate, ok := m.Get("rateLimit"); ok {
		limit := m.Mapping(rate, m.Path("rateLimit"))
		p.PerMinute = limit.Int("perMinute", 0, 1, 100_000)
		limit.Done()
	}
	p.Model, _ = m.Text("model")
	switch p.Type {
	case OpenAI, Anthropic, Managed:
		readHTTP(m, &p)
	case GeminiCLI:
		readProgram(m, &p)
	case Fake:
		readFake(m, &p)
	default:
		return p // the other fields depend on the type
	}
	m.Done()
	return p
}

func revisionOf(v strictyaml.Value) string {
	b, err := v.MarshalJSON()
	if err != nil {
		return "" // the value is reported elsewhere
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// readPositive reads a duration that must not be 0.
func readPositive(m *strictyaml.Mapping, name string, absent time.Duration) strictyaml.Duration {
	d := m.Duration(name, absent)
	if v, _ := m.Value().Lookup(name); d == 0 {
		m.Fail(v.At, m.Path(name), "is 0, want a time such as 60s")
		return strictyaml.Duration(absent)
	}
	return d
}

// readHTTP reads the fields of a provider with an HTTP API.
func readHTTP(m *strictyaml.Mapping, p *Provider) {
	m.Need("model")
	p.BaseURL = readURL(m, "baseURL", defaultURLs[p.Type])
	p.APIKey = readAPIKey(m)
	p.TokenField = TokenFieldOld
	if p.Type != Anthropic {
		p.TokenField = m.Word("tokenField", TokenFieldOld, TokenFieldOld, TokenFieldNew)
	}
	if p.Type == Managed {
		m.Need("baseURL")
		m.Need("command")
		p.Command = readCommand(m)
		p.Env = secret.ReadTemplates(m, "env", secret.IsVariable, secret.NotVariable)
		p.HealthURL = readURL(m, "healthURL", p.BaseURL+"/models")
		p.ReadyTimeout = readPositive(m, "readyTimeout", 5*time.Minute)
		p.IdleStop = m.Duration("idleStop", 10*time.Minute)
	}
	if v, _ := m.Value().Lookup("baseURL"); !p.APIKey.IsZero() && isUnencrypted(p.BaseURL) {
		m.Warn(v.At, m.Path("baseURL"), "is http:// on another machine: the key and the prompts are sent unencrypted")
	}
}

// isUnencrypted reports whether requests to an address leave the machine unencrypted.
func isUnencrypted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

func readURL(m *strictyaml.Mapping, name, absent string) string {
	text, at := m.Text(name)
	if text == "" {
		return absent
	}
	why := object.URLFault(text)
	if u, err := url.Parse(text); why == "" && err == nil {
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.Unmap().IsLinkLocalUnicast() {
			why = "is a link-local address, where clouds keep credentials"
		} else if u.RawQuery != "" {
			why = "has a query, remove the text after ?"
		}
	}
	if why != "" {
		m.Fail(at, m.Path(name), "%s", strings.Replace(why, "headers", "apiKey", 1))
	}
	return strings.TrimRight(text, "/")
}

// readAPIKey reads the key, which must be a reference: the settings contain no secrets.
func readAPIKey(m *strictyaml.Mapping) secret.Template {
	v, ok := m.Get("apiKey")
	if !ok {
		return secret.Template{}
	}
	t, ok := secret.ReadTemplate(m, v, "apiKey")
	if !ok {
		return secret.Template{}
	}
	if !t.IsReference() {
		e := m.Fail(v.At, m.Path("apiKey"), "is not a reference such as ${NAME}, the only valid form")
		e.Cause = "NAME is a variable of the daemon's environment or a key of " + secret.FileName
		return secret.Template{}
	}
	return t
}

// readCommand reads a program and its arguments. They must not contain references,
// because all users of the machine can read arguments.
func readCommand(m *strictyaml.Mapping) []string {
	command := m.Texts("command")
	v, ok := m.Value().Lookup("command")
	if ok && v.Type == strictyaml.List && (len(command) == 0 || command[0] == "") {
		m.Fail(v.At, m.Path("command"), "is empty, want a program and its arguments")
	}
	for i, arg := range command {
		if strings.Contains(arg, "${") && i < len(v.Items) {
			m.Fail(v.Items[i].At, m.Path(strictyaml.ItemPath("command", i)), "contains a reference: all users of this machine can read arguments, use env")
		}
	}
	return command
}

// readProgram reads the fields of a provider that runs a program for each request.
func readProgram(m *strictyaml.Mapping, p *Provider) {
	p.APIKey = readAPIKey(m)
	if p.Command = readCommand(m); len(p.Command) == 0 {
		p.Command = []string{"gemini"}
	}
	p.Env = secret.ReadTemplates(m, "env", secret.IsVariable, secret.NotVariable)
}
