package proxy

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
)

// TestExchanges plays testdata/exchange/*.txtar over HTTP. The comment of a file states its
// rule; its parts, in order:
//
//	project        servers, in order; "bare", "sections", "runs S", "transforms S", "filters S" on lines of their own
//	server NAME    its answers: a method and a result ("error {...}" for an error) on each line
//	client         a message of the client
//	answer         the answer, byte for byte; <...> matches any text
//	controllers    their rules, see fakeControllers; a second such part replaces them
//	library        prompts of the project, "name text" on each line
//	hooks          the hooks that ran since the last such part
//	upstream NAME  the requests to the server since the last such part: method and params
func TestExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/exchange/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no exchanges: %v", err)
	}
	for _, file := range files {
		play, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { playExchange(t, play, nil) })
	}
}

// With controllers that have no hook to run, all exchanges are equal byte for byte.
func TestIdleControllersChangeNothing(t *testing.T) {
	files, _ := filepath.Glob("testdata/exchange/*.txtar")
	for _, file := range files {
		play, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(play.Files, func(f txtar.File) bool { return f.Name == "controllers" }) {
			continue
		}
		idle := scriptedControllers("off")
		t.Run(filepath.Base(file), func(t *testing.T) { playExchange(t, play, idle) })
		if seen := idle.takeSeen(); seen != "" && seen != "on_close shutdown" {
			t.Errorf("%s: hooks ran: %s", file, seen)
		}
	}
}

// playExchange plays one file. controllers is used if the file has none.
func playExchange(t *testing.T, play *txtar.Archive, controllers *fakeControllers) {
	servers := fakeUpstreams{}
	project := Project{}
	models := testModels{}
	var library Library
	for _, part := range play.Files {
		kind, name, _ := strings.Cut(part.Name, " ")
		switch kind {
		case "project":
			for line := range strings.Lines(string(part.Data)) {
				readProject(&project, models, strings.Fields(line))
			}
		case "server":
			servers[name] = scriptedServer(readAnswers(string(part.Data)))
		case "controllers":
			if controllers == nil {
				controllers = scriptedControllers(string(part.Data))
			}
		case "library":
			library = readLibrary(string(part.Data))
		}
	}
	project.Models = models
	r := newRig(t, servers, project, Options{Version: "1.0"})
	if controllers != nil {
		r = newSteeredRig(t, servers, project, Options{Version: "1.0"}, controllers, library)
	}
	r.pipeline.Stage, r.pipeline.Redact = proxytest.Shout, hideFilter
	c := r.open(t, `{}`)
	seen := map[string]int{}
	var answer string
	for _, part := range play.Files {
		kind, name, _ := strings.Cut(part.Name, " ")
		text := strings.TrimSuffix(string(part.Data), "\n")
		switch kind {
		case "client":
			answer = c.body(c.post(text))
		case "answer":
			text = strings.ReplaceAll(text, "READ_SECTION", string(readSectionTool))
			if !matchesPattern(answer, text) {
				t.Errorf("answer\n got %s\nwant %s", answer, text)
			}
		case "controllers":
			controllers.setScript(text)
		case "hooks":
			if have := controllers.takeSeen(); have != text {
				t.Errorf("hooks\n got %s\nwant %s", have, text)
			}
		case "upstream":
			got := servers[name].since(seen[name])
			seen[name] += len(got)
			if have := strings.Join(got, "\n"); have != text {
				t.Errorf("server %s\n got %s\nwant %s", name, have, text)
			}
		}
	}
}

// matchesPattern reports whether a text matches a pattern in which <...> matches anything.
func matchesPattern(got, want string) bool {
	head, tail, open := strings.Cut(want, "<...>")
	if !open {
		return got == want
	}
	return strings.HasPrefix(got, head) && strings.HasSuffix(got, tail)
}

func readProject(p *Project, models testModels, words []string) {
	switch words[0] {
	case "servers":
		for _, s := range words[1:] {
			p.Servers = append(p.Servers, Server{Name: s})
		}
	case "bare":
		p.Bare = true
	case "sections":
		p.Sections = true
	case "runs":
		models[words[1]] = Model{Runs: true}
	case "transforms":
		models[words[1]] = Model{Runs: true, Transforms: true}
	case "filters":
		models[words[1]] = Model{Runs: true, Filters: true}
	}
}

// hideFilter is a filter.
func hideFilter(c flow.Content) flow.Shown {
	text := bytes.ReplaceAll(c.Bytes, []byte("secret"), []byte("***"))
	return flow.Shown{Changed: !bytes.Equal(text, c.Bytes), Text: text}
}

func readLibrary(text string) (l fakeLibrary) {
	for line := range strings.Lines(text) {
		name, body, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		l = append(l, struct{ name, text string }{name, body})
	}
	return l
}

func readAnswers(text string) map[string]string {
	answers := make(map[string]string)
	for line := range strings.Lines(text) {
		method, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		answer = strings.TrimPrefix(answer, "result ")
		answer = strings.Replace(answer, "error {", "error:{", 1)
		answers[method] = answer
	}
	return answers
}

// since returns the calls after the first n.
func (f *fakeServer) since(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, c := range f.calls[n:] {
		all = append(all, strings.TrimSpace(c.method+" "+c.params))
	}
	return all
}

const hello = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
