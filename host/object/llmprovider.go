package object

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// llmDefaults are the addresses of providers that have one.
var llmDefaults = map[string]string{LLMOpenAI: "https://api.openai.com/v1", LLMAnthropic: "https://api.anthropic.com"}

func (r *reader) llmProvider(v Value, path string) (p LLMProvider) {
	f := r.mapping(v, path)
	p.At, p.Revision = v.At, revisionOf(v)
	if _, ok := f.need("name"); ok {
		var where Position
		if p.Name, where = f.name("name", ""); p.Name == "none" {
			f.fail(where, f.path+"name", `"none" is how a project says that it wants no LLM`)
		}
	}
	if _, ok := f.need("type"); ok {
		p.Type = f.word("type", "", LLMOpenAI, LLMAnthropic, LLMGeminiCLI, LLMManaged, LLMFake)
	}
	p.MaxConcurrent = f.integer("maxConcurrent", 4, 1, 256)
	p.Timeout = f.llmTime("timeout", time.Minute)
	if rate, ok := f.get("rateLimit"); ok {
		l := r.mapping(rate, f.path+"rateLimit")
		p.PerMinute = l.integer("perMinute", 0, 1, 100_000)
		l.done()
	}
	p.Model, _ = f.str("model")
	switch p.Type {
	case LLMOpenAI, LLMAnthropic, LLMManaged:
		f.llmServer(&p)
	case LLMGeminiCLI:
		f.llmProgram(&p)
	case LLMFake:
		f.llmFake(&p)
	default:
		return p // its other fields cannot be judged
	}
	f.done()
	return p
}

func revisionOf(v Value) string {
	b, err := v.MarshalJSON()
	if err != nil {
		return "" // told elsewhere
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// llmTime reads a time that is not 0.
func (f *fields) llmTime(name string, absent time.Duration) Duration {
	d := f.duration(name, absent)
	if v, _ := f.v.Lookup(name); d == 0 {
		f.fail(v.At, f.path+name, "is 0, want a time such as 60s")
		return Duration(absent)
	}
	return d
}

// llmServer reads what is asked over HTTP.
func (f *fields) llmServer(p *LLMProvider) {
	f.need("model")
	p.BaseURL = f.llmURL("baseURL", llmDefaults[p.Type])
	p.APIKey = f.llmKey()
	p.TokenField = TokenFieldOld
	if p.Type != LLMAnthropic {
		p.TokenField = f.word("tokenField", TokenFieldOld, TokenFieldOld, TokenFieldNew)
	}
	if p.Type == LLMManaged {
		f.need("baseURL")
		f.need("command")
		p.Command = f.llmCommand()
		p.Env = f.templates("env", isVariable, "is not a variable's name, want letters, digits and _")
		p.HealthURL = f.llmURL("healthURL", p.BaseURL+"/models")
		p.ReadyTimeout = f.llmTime("readyTimeout", 5*time.Minute)
		p.IdleStop = f.duration("idleStop", 10*time.Minute)
	}
	if v, _ := f.v.Lookup("baseURL"); !p.APIKey.IsZero() && inTheClear(p.BaseURL) {
		f.warn(v.At, f.path+"baseURL", "is http:// on another machine: the key and what is asked go there in the clear")
	}
}

// inTheClear reports whether others could read what is sent to an address.
func inTheClear(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

func (f *fields) llmURL(name, absent string) string {
	text, where := f.str(name)
	if text == "" {
		return absent
	}
	why := urlFault(text)
	if u, err := url.Parse(text); why == "" && err == nil {
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.Unmap().IsLinkLocalUnicast() {
			why = "is a link-local address, where clouds keep credentials"
		} else if u.RawQuery != "" {
			why = "has a query, leave out what follows ?"
		}
	}
	if why != "" {
		f.fail(where, f.path+name, "%s", strings.Replace(why, "headers", "apiKey", 1))
	}
	return strings.TrimRight(text, "/")
}

// llmKey reads a key that is a reference: the settings hold no secret.
func (f *fields) llmKey() Template {
	v, ok := f.get("apiKey")
	if !ok {
		return Template{}
	}
	t, ok := f.template(v, "apiKey")
	if !ok {
		return Template{}
	}
	for _, part := range t.parts() {
		if !part.ref || part.hasDefault || t.source() == "" {
			e := f.fail(v.At, f.path+"apiKey", "is no reference, want ${NAME} alone")
			e.Cause = "NAME is a variable of the daemon's environment or a key of " + SecretsFile
			return Template{}
		}
	}
	return t
}

// llmCommand reads a program and its arguments. Everybody on the machine can read
// those, so they hold no references.
func (f *fields) llmCommand() []string {
	command := f.strs("command")
	if v, ok := f.v.Lookup("command"); ok && v.Type == List && (len(command) == 0 || command[0] == "") {
		f.fail(v.At, f.path+"command", "is empty, want a program and its arguments")
	}
	v, _ := f.v.Lookup("command")
	for i, arg := range command {
		if strings.Contains(arg, "${") && i < len(v.Items) {
			f.fail(v.Items[i].At, f.path+at("command", i), "holds a reference: arguments can be read by all on this machine, use env")
		}
	}
	return command
}

// llmProgram reads what is asked by running a program.
func (f *fields) llmProgram(p *LLMProvider) {
	p.APIKey = f.llmKey()
	if p.Command = f.llmCommand(); len(p.Command) == 0 {
		p.Command = []string{"gemini"}
	}
	p.Env = f.templates("env", isVariable, "is not a variable's name, want letters, digits and _")
}
