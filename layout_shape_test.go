package mcpctl

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Bounds of a package. A knot is a set of files of one package that all depend on each
// other, directly or through others: none of them can be read alone.
const (
	maxKnot    = 12 // files
	maxMethods = 40 // of one type
)

// TestShape keeps packages readable: it bounds the knots of every package and the methods
// of every type, in all modules of the repository.
func TestShape(t *testing.T) {
	for _, dir := range packageDirs(t) {
		p, err := checkPackage(dir)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		if knot := p.largestKnot(); len(knot) > maxKnot {
			t.Errorf("%s: %d files depend on each other, limit %d: %s", dir, len(knot), maxKnot, strings.Join(knot, " "))
		}
		for name, n := range p.methods() {
			if n > maxMethods {
				t.Errorf("%s: type %s has %d methods, limit %d", dir, name, n, maxMethods)
			}
		}
	}
}

// packageDirs lists the directories with Go files of all modules of the repository.
func packageDirs(t *testing.T) []string {
	t.Helper()
	dirs := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			dirs[filepath.Dir(path)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(dirs))
}

// checkedPackage is a package with the objects that its identifiers refer to.
type checkedPackage struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// checkPackage parses and checks the files of a directory without its imports: only the
// references inside the package matter, so that type errors are ignored.
func checkPackage(dir string) (*checkedPackage, error) {
	p := &checkedPackage{fset: token.NewFileSet(), info: &types.Info{Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection)}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	conf := types.Config{Importer: noImports{importer.Default()}, Error: func(error) {}, FakeImportC: true}
	p.pkg, _ = conf.Check(dir, p.fset, p.files, p.info)
	if p.pkg == nil {
		return nil, fmt.Errorf("cannot be checked")
	}
	return p, nil
}

// noImports imports empty packages.
type noImports struct{ types.Importer }

// Import implements types.Importer.
func (noImports) Import(path string) (*types.Package, error) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	pkg := types.NewPackage(path, strings.TrimPrefix(name, "go-"))
	pkg.MarkComplete()
	return pkg, nil
}

// methods counts the methods of each type.
func (p *checkedPackage) methods() map[string]int {
	count := make(map[string]int)
	for _, f := range p.files {
		if ast.IsGenerated(f) { // one method per query of a database
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || len(fn.Recv.List) == 0 {
				continue
			}
			if name := typeName(fn.Recv.List[0].Type); name != "" {
				count[name]++
			}
		}
	}
	return count
}

// typeName returns the name of a receiver's type.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// largestKnot returns the files of the largest knot.
func (p *checkedPackage) largestKnot() []string {
	uses := make(map[string]map[string]bool)
	for _, f := range p.files {
		from := filepath.Base(p.fset.Position(f.FileStart).Filename)
		uses[from] = make(map[string]bool)
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if obj := p.info.Uses[id]; obj != nil && p.isDeclaredHere(obj) {
				if to := filepath.Base(p.fset.Position(obj.Pos()).Filename); to != from {
					uses[from][to] = true
				}
			}
			return true
		})
	}
	return largestCycle(uses)
}

// isDeclaredHere reports whether obj is declared at the level of the package, or is a
// method or field of its types.
func (p *checkedPackage) isDeclaredHere(obj types.Object) bool {
	if obj.Pkg() != p.pkg || !obj.Pos().IsValid() {
		return false
	}
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return true
	}
	if _, ok := obj.(*types.Func); ok {
		return true
	}
	return obj.Parent() == p.pkg.Scope()
}

// largestCycle returns the largest strongly connected component of a graph, by Tarjan's
// algorithm.
func largestCycle(edges map[string]map[string]bool) (largest []string) {
	index, low, onStack := make(map[string]int), make(map[string]int), make(map[string]bool)
	var stack []string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, onStack[v] = append(stack, v), true
		for w := range edges[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		start := slices.Index(stack, v)
		component := slices.Clone(stack[start:])
		for _, w := range component {
			onStack[w] = false
		}
		if stack = stack[:start]; len(component) > len(largest) {
			largest = component
		}
	}
	for _, v := range slices.Sorted(maps.Keys(edges)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.Sort(largest)
	return largest
}

// unreadable matches references to documents that are not in the repository: ids of
// requirements and sections of design notes.
var unreadable = regexp.MustCompile(`\b[A-Z]-\d{3}\b|[Cc]overs [A-Z]\d|\b(DESIGN|CLIENTS|SECURITY|UX|SERVER|STYLE)(\.md)? (section )?\d|\bDRILLDOWN\b|\bCHECKLIST\b|ABI (section )?\d+(\.\d+)?( says|:|,? as)|ABI section|of the seed\b`)

// TestReferences finds comments that cite a document which readers cannot open.
func TestReferences(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "content" && strings.Contains(path, "testdata") || path == filepath.Join("cmd", "internal", "demo", "content")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".rs", ".ts", ".mjs", ".c", ".h", ".txtar", ".md"}, filepath.Ext(path)) || path == "layout_shape_test.go" {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(b), "\n") {
			if isComment(path, line) && unreadable.MatchString(line) {
				t.Errorf("%s:%d: cites a document outside of the repository: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isComment reports whether a line of a file is text for readers: a comment, or any line
// of a page.
func isComment(path, line string) bool {
	switch filepath.Ext(path) {
	case ".md":
		return true
	case ".txtar":
		return strings.HasPrefix(line, "#") || strings.Contains(line, "(covers ")
	}
	return strings.Contains(line, "//") || strings.HasPrefix(strings.TrimSpace(line), "*") || strings.HasPrefix(strings.TrimSpace(line), "/*")
}
