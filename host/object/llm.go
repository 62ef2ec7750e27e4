package object

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SettingsFile is the name of the settings file in the home. This package reads
// its llm section alone; the rest is lines of "field: value" for others.
const SettingsFile = "config.yaml"

// Types of an LLMProvider.
const (
	LLMOpenAI    = "openai"     // chat completions: OpenAI, DeepSeek, Ollama, vLLM, Gemini
	LLMAnthropic = "anthropic"  // messages
	LLMGeminiCLI = "gemini-cli" // a program, asked on its stdin
	LLMManaged   = "managed"    // a server that we start, asked as openai
	LLMFake      = "fake"       // no LLM: answers by a script
)

// LLM is the llm section of the settings.
type LLM struct {
	Providers []LLMProvider
	Fast      []Name // providers in the order they are tried; never empty if there are providers
	Heavy     []Name

	// DailyTokens is what one module may spend in one project in a day (UTC); 0: no bound.
	DailyTokens int
}

// LLMProvider is one entry of llm.providers.
type LLMProvider struct {
	Name          Name
	Type          string
	BaseURL       string // without a trailing slash
	Model         string
	APIKey        Template // of references alone
	MaxConcurrent int
	Timeout       Duration // of one request in the background
	PerMinute     int      // requests in any minute; 0: no bound
	TokenField    string   // of openai: how it calls the bound on an answer

	Command      []string            // of gemini-cli and managed
	Env          map[string]Template // of their process
	HealthURL    string              // of managed; answers 200 once it is ready
	ReadyTimeout Duration            // of managed: from start to ready
	IdleStop     Duration            // of managed: unused for so long it is stopped; 0: never

	Script  string      // of fake: a file with answers, relative to the home
	Answers []LLMAnswer // of fake

	At       Position
	Revision string // changes with anything that is written about it
}

// Names of the field that bounds an answer. Models that want the second one take
// no temperature.
const (
	TokenFieldOld = "max_tokens"
	TokenFieldNew = "max_completion_tokens"
)

// DefaultDailyTokens is the daily budget where none is written.
const DefaultDailyTokens = 1_000_000

// LoadLLM reads the llm section of the settings of a home; one that is not there
// is empty. Warnings are as those of ParseLLM.
//
// Errors: Errors for mistakes, with their place in the file.
func LoadLLM(home string) (llm LLM, warnings Errors, err error) {
	f, err := os.Open(filepath.Join(home, SettingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return LLM{}, nil, nil
	}
	if err != nil {
		return LLM{}, nil, diskError(SettingsFile, err)
	}
	defer f.Close()
	data, err := readBounded(f)
	if err != nil {
		return LLM{}, nil, fmt.Errorf("%s: %w", SettingsFile, err)
	}
	return ParseLLM(SettingsFile, string(data))
}

// SplitLLM parts the llm section of the settings from the other lines. Both have
// as many lines as the text, so that positions hold.
func SplitLLM(text string) (llm, rest string) {
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

// ParseLLM reads the llm section of the text of a settings file. Warnings are
// about what is accepted but should be written otherwise.
func ParseLLM(file, text string) (llm LLM, warnings Errors, err error) {
	section, _ := SplitLLM(text)
	var errs Errors
	src := newSource(file, section)
	docs := parseFile(src, []byte(section), &errs)
	if len(docs) == 0 {
		return LLM{}, nil, errs.Err()
	}
	r := &reader{src: src, errs: &errs}
	top := r.mapping(docs[0].root, "")
	if v, ok := top.get("llm"); ok {
		llm = r.llm(v)
	}
	top.done()
	errs.Sort()
	return llm, r.warns, errs.Err()
}

func (r *reader) llm(v Value) (l LLM) {
	f := r.mapping(v, "llm")
	for i, item := range f.list("providers") {
		if p := r.llmProvider(item, at("llm.providers", i)); !slices.ContainsFunc(l.Providers, func(o LLMProvider) bool { return o.Name == p.Name }) {
			l.Providers = append(l.Providers, p)
		} else if p.Name != "" {
			r.fail(item.At, at("llm.providers", i)+".name", "%q is written twice", p.Name)
		}
	}
	l.DailyTokens = DefaultDailyTokens
	if budget, ok := f.get("budget"); ok {
		b := r.mapping(budget, "llm.budget")
		l.DailyTokens = b.integer("dailyTokens", DefaultDailyTokens, 0, 1<<40)
		b.done()
	}
	if tiers, ok := f.get("tiers"); ok {
		t := r.mapping(tiers, "llm.tiers")
		l.Fast, l.Heavy = t.llmTier("fast", l.Providers), t.llmTier("heavy", l.Providers)
		t.done()
	}
	f.done()
	l.fill()
	return l
}

// fill makes a missing tier the other; without any, all providers serve both.
func (l *LLM) fill() {
	if len(l.Fast)+len(l.Heavy) == 0 {
		for _, p := range l.Providers {
			l.Fast = append(l.Fast, p.Name)
		}
	}
	if len(l.Fast) == 0 {
		l.Fast = l.Heavy
	}
	if len(l.Heavy) == 0 {
		l.Heavy = l.Fast
	}
}

func (f *fields) llmTier(name string, providers []LLMProvider) (tier []Name) {
	var known []string
	for _, p := range providers {
		known = append(known, string(p.Name))
	}
	for i, item := range f.list(name) {
		n := f.asName(item, at(name, i))
		switch {
		case n == "":
		case !slices.Contains(known, string(n)):
			f.fail(item.At, f.path+at(name, i), "%q is no provider%s", n, didYouMean(string(n), known))
		case slices.Contains(tier, n):
			f.fail(item.At, f.path+at(name, i), "%q is written twice", n)
		default:
			tier = append(tier, n)
		}
	}
	return tier
}
