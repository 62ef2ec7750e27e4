package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repository is the module on which the agent works.
const repository = "github.com/yuin/goldmark"

// workspace is a directory with a copy of the repository and the results that the client keeps.
type workspace struct {
	root string
	kept int
}

func (w *workspace) repo() string { return filepath.Join(w.root, "goldmark") }

// environ returns the environment of commands: no network, no pager, no configuration of the
// user, and the same commit in each run.
func (w *workspace) environ() []string {
	date := "2026-01-02T03:04:05Z"
	return append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local", "LC_ALL=C", "TERM=dumb",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_PAGER=cat", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
}

// reset copies the repository again, as one commit. The module cache has no history.
func (w *workspace) reset(ctx context.Context) error {
	if err := os.RemoveAll(w.repo()); err != nil {
		return err
	}
	source, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	if err := copyDir(source, w.repo()); err != nil {
		return err
	}
	const commit = "git init -q && git add -A && git -c user.name=import -c user.email=import@example.com commit -q -m 'Import goldmark'"
	if out, err := w.shell(ctx, commit).CombinedOutput(); err != nil {
		return fmt.Errorf("git: %w: %s", err, out)
	}
	return nil
}

// shell returns a command of the shell in the repository.
func (w *workspace) shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = w.repo()
	cmd.Env = w.environ()
	return cmd
}

// keep writes a long result to a file and returns its name.
func (w *workspace) keep(text string) (string, error) {
	dir := filepath.Join(w.root, "results")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	w.kept++
	name := filepath.Join(dir, fmt.Sprintf("result-%02d.txt", w.kept))
	return name, os.WriteFile(name, []byte(text), 0o600)
}

// moduleDir returns the repository in the module cache.
func moduleDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", repository).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", repository, err)
	}
	var m struct{ Dir string }
	err = json.Unmarshal(out, &m)
	return m.Dir, err
}

// copyDir copies a directory of the module cache. The copies can be changed.
func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), b, 0o600)
	})
}

// memoryServer is an example of the MCP Go SDK.
const memoryServer = "github.com/modelcontextprotocol/go-sdk/examples/server/memory"

func buildMemoryServer(ctx context.Context, dir string) (string, error) {
	exe := filepath.Join(dir, "memory")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", exe, memoryServer)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w: %s", memoryServer, err, out)
	}
	return exe, nil
}

// node is an entity or a relation in the file of the memory server.
type node struct {
	Type         string   `json:"type"`
	Name         string   `json:"name,omitempty"`
	EntityType   string   `json:"entityType,omitempty"`
	Observations []string `json:"observations,omitempty"`
	From         string   `json:"from,omitempty"`
	To           string   `json:"to,omitempty"`
	RelationType string   `json:"relationType,omitempty"`
}

// graphPackages are the packages whose exported names are in the graph of the memory server.
var graphPackages = []string{"extension", "renderer/html"}

// writeGraph writes a file of the memory server: an entity for each exported function and type
// with its doc comment, and a relation to its package.
func writeGraph(file, repo string) error {
	var nodes []node
	for _, name := range graphPackages {
		p, err := parsePackage(filepath.Join(repo, filepath.FromSlash(name)), repository+"/"+name)
		if err != nil {
			return err
		}
		nodes = append(nodes, node{Type: "entity", Name: name, EntityType: "package", Observations: observations(p.Doc)})
		add := func(entity, kind, comment string) {
			nodes = append(nodes, node{Type: "entity", Name: p.Name + "." + entity, EntityType: kind, Observations: observations(comment)},
				node{Type: "relation", From: p.Name + "." + entity, To: name, RelationType: "is declared in"})
		}
		for _, f := range p.Funcs {
			add(f.Name, "function", f.Doc)
		}
		for _, t := range p.Types {
			add(t.Name, "type", t.Doc)
			for _, f := range t.Funcs {
				add(f.Name, "function", f.Doc)
			}
			for _, m := range t.Methods {
				add(t.Name+"."+m.Name, "method", m.Doc)
			}
		}
	}
	b, err := json.Marshal(nodes)
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

// observations returns the paragraphs of a doc comment.
func observations(comment string) []string {
	list := []string{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(comment), "\n\n") {
		if text := strings.Join(strings.Fields(paragraph), " "); text != "" {
			list = append(list, text)
		}
	}
	return list
}

func parsePackage(dir, path string) (*doc.Package, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return doc.NewFromFiles(set, files, path)
}
