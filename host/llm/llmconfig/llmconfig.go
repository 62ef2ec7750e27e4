// Package llmconfig reads the llm section of the settings: providers, tiers and budget,
// and the scripts of fake providers.
//
// It does not send requests; see package llm.
package llmconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Types of a Provider.
const (
	OpenAI    = "openai"     // chat completions: OpenAI, DeepSeek, Ollama, vLLM, Gemini
	Anthropic = "anthropic"  // messages
	GeminiCLI = "gemini-cli" // a program that reads the prompt from its stdin
	Managed   = "managed"    // a server that the daemon starts, with the API of openai
	Fake      = "fake"       // no LLM: answers come from a script
)

// Settings is the llm section of the settings.
type Settings struct {
	Providers []Provider
	Fast      []object.Name // providers in the order in which they are tried; not empty if there are providers
	Heavy     []object.Name

	// DailyTokens is the budget of one module in one project for one day (UTC); 0 is unlimited.
	DailyTokens int
}

// Provider is one entry of llm.providers.
type Provider struct {
	Name          object.Name
	Type          string
	BaseURL       string // without a trailing slash
	Model         string
	APIKey        secret.Template // consists of references only
	MaxConcurrent int
	Timeout       strictyaml.Duration // of one background request
	PerMinute     int                 // maximum requests per minute; 0 is unlimited
	TokenField    string              // of openai: TokenFieldOld or TokenFieldNew

	Command      []string                   // of gemini-cli and managed
	Env          map[string]secret.Template // of the process of Command
	HealthURL    string                     // of managed; returns status 200 when the server is ready
	ReadyTimeout strictyaml.Duration        // of managed: maximum time from start to ready
	IdleStop     strictyaml.Duration        // of managed: idle time after which it is stopped; 0 is never

	Script  string   // of fake: a file with answers, relative to the home
	Answers []Answer // of fake

	At       strictyaml.Position
	Revision string // changes with any field
}

// Names of the request field that limits the length of an answer. Models that need the
// new one do not accept a temperature.
const (
	TokenFieldOld = "max_tokens"
	TokenFieldNew = "max_completion_tokens"
)

// DefaultDailyTokens is the daily budget if none is set.
const DefaultDailyTokens = 1_000_000

// Load reads the llm section of the settings of a home. A missing file is empty.
// Warnings are those of Parse.
//
// It returns strictyaml.Errors if the section is invalid.
func Load(home string) (settings Settings, warnings strictyaml.Errors, err error) {
	f, err := os.Open(filepath.Join(home, homedir.SettingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Settings{}, nil, nil
	}
	if err != nil {
		return Settings{}, nil, homedir.DiskError(homedir.SettingsFile, err)
	}
	defer f.Close()
	data, err := homedir.ReadAtMost(f, strictyaml.MaxFileBytes)
	if err != nil {
		return Settings{}, nil, fmt.Errorf("%s: %w", homedir.SettingsFile, err)
	}
	return Parse(homedir.SettingsFile, string(data))
}

// Split separates the llm section of a settings file from the other lines. Both results
// have as many lines as the text, so that positions stay valid.
func Split(text string) (llm, rest string) {
	var in, out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		end := ""
		if strings.HasSuffix(line, "\n") {
			end = "\n"
		}
		if plain := strings.TrimSpace(line); plain != "" && plain[0] != '#' {
			inside = strings.HasPrefix(line, "llm:") || inside && (line[0] == ' ' || line[0] == '\t')
		}
		if inside {
			in.WriteString(line)
			out.WriteString(end)
		} else {
			in.WriteString(end)
			out.WriteString(line)
		}
	}
	return in.String(), out.String()
}

// Parse reads the llm section of the text of a settings file. Warnings are for settings
// that are accepted but should be changed.
func Parse(file, text string) (settings Settings, warnings strictyaml.Errors, err error) {
	section, _ := Split(text)
	var errs strictyaml.Errors
	src := strictyaml.NewSource(file, section)
	docs := strictyaml.Parse(src, []byte(section), &errs)
	if len(docs) == 0 {
		return Settings{}, nil, errs.Err()
	}
	r := strictyaml.NewReader(src, &errs)
	top := r.Mapping(docs[0].Root, "")
	if v, ok := top.Get("llm"); ok {
		settings = readSettings(r.Mapping(v, "llm"))
	}
	top.Done()
	errs.Sort()
	return settings, r.Warnings(), errs.Err()
}

func readSettings(m *strictyaml.Mapping) (s Settings) {
	for i, item := range m.List("providers") {
		path := m.Path(strictyaml.ItemPath("providers", i))
		if p := readProvider(m.Mapping(item, path)); !slices.ContainsFunc(s.Providers, func(o Provider) bool { return o.Name == p.Name }) {
			s.Providers = append(s.Providers, p)
		} else if p.Name != "" {
			m.Fail(item.At, path+".name", "%q is written twice", p.Name)
		}
	}
	s.DailyTokens = DefaultDailyTokens
	if budget, ok := m.Get("budget"); ok {
		b := m.Mapping(budget, m.Path("budget"))
		s.DailyTokens = b.Int("dailyTokens", DefaultDailyTokens, 0, 1<<40)
		b.Done()
	}
	if tiers, ok := m.Get("tiers"); ok {
		t := m.Mapping(tiers, m.Path("tiers"))
		s.Fast, s.Heavy = readTier(t, "fast", s.Providers), readTier(t, "heavy", s.Providers)
		t.Done()
	}
	m.Done()
	s.completeTiers()
	return s
}

// completeTiers sets a missing tier to the other one. If both are missing, all providers
// are in both tiers.
func (s *Settings) completeTiers() {
	if len(s.Fast)+len(s.Heavy) == 0 {
		for _, p := range s.Providers {
			s.Fast = append(s.Fast, p.Name)
		}
	}
	if len(s.Fast) == 0 {
		s.Fast = s.Heavy
	}
	if len(s.Heavy) == 0 {
		s.Heavy = s.Fast
	}
}

func readTier(m *strictyaml.Mapping, name string, providers []Provider) (tier []object.Name) {
	var known []string
	for _, p := range providers {
		known = append(known, string(p.Name))
	}
	for i, item := range m.List(name) {
		path := strictyaml.ItemPath(name, i)
		n := object.ReadName(m, item, path)
		switch {
		case n == "":
		case !slices.Contains(known, string(n)):
			m.Fail(item.At, m.Path(path), "%q is not a provider%s", n, suggest.DidYouMean(string(n), known))
		case slices.Contains(tier, n):
			m.Fail(item.At, m.Path(path), "%q is written twice", n)
		default:
			tier = append(tier, n)
		}
	}
	return tier
}
