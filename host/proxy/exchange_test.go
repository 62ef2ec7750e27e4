package proxy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestExchanges plays testdata/exchange/*.txtar over HTTP. The
// head of a file says what it guards; its parts, in order:
//
//	project        servers, in order; "bare", "sections", "runs S", "transforms S" on lines of their own
//	server NAME    what it answers: a method and a result ("error {...}" for an error) on each line
//	client         a message of the client
//	answer         the answer, byte for byte; <...> stands for any text
//	upstream NAME  what has reached the server since the last such part: method and params
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
		t.Run(name, func(t *testing.T) { playExchange(t, play) })
	}
}

func playExchange(t *testing.T, play *txtar.Archive) {
	servers := fakeUpstreams{}
	project := Project{}
	models := testModels{}
	for _, part := range play.Files {
		kind, name, _ := strings.Cut(part.Name, " ")
		switch kind {
		case "project":
			for line := range strings.Lines(string(part.Data)) {
				readProject(&project, models, strings.Fields(line))
			}
		case "server":
			servers[name] = scripted(readAnswers(string(part.Data)))
		}
	}
	project.Models = models
	r := newRig(t, servers, project, Options{Version: "1.0"})
	r.pipeline.stage = shout
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
			if !fits(answer, text) {
				t.Errorf("answer\n got %s\nwant %s", answer, text)
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

// fits compares with a text in which <...> stands for anything.
func fits(got, want string) bool {
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
	}
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
