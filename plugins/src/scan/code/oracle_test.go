package code

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// decls returns the ids of the functions and types of a Go file by the span of their whole lines
// with their comments.
func decls(t *testing.T, b []byte) (funcs, types map[[2]int]string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", b, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil
	}
	lines := func(doc *ast.CommentGroup, n ast.Node) [2]int {
		start, end := fset.PositionFor(n.Pos(), false).Offset, fset.PositionFor(n.End(), false).Offset
		if doc != nil {
			start = fset.PositionFor(doc.Pos(), false).Offset
		}
		start = bytes.LastIndexByte(b[:start], '\n') + 1
		if i := bytes.IndexByte(b[end:], '\n'); i >= 0 {
			return [2]int{start, end + i + 1}
		}
		return [2]int{start, len(b)}
	}
	funcs, types = make(map[[2]int]string), make(map[[2]int]string)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			funcs[lines(d.Doc, d)] = goName(d)
		case *ast.GenDecl:
			if d.Tok == token.TYPE && len(d.Specs) == 1 && !d.Lparen.IsValid() {
				types[lines(d.Doc, d)] = d.Specs[0].(*ast.TypeSpec).Name.Name
			}
		}
	}
	return funcs, types
}

// goName returns the id of a function: Type.Name for a method.
func goName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// ids returns the ids of the parts of a document by their spans.
func ids(d *part.Doc) map[[2]int]string {
	out := make(map[[2]int]string)
	for i, p := range d.Parts {
		var n part.Name
		d.Name(i, &n)
		out[[2]int{int(p.Start), int(p.End)}] = string(n.ID)
	}
	return out
}

// Each function and type of Go's own sources is one part, in agreement with go/parser.
// ALL=1 reads all packages instead of a few.
func TestGoAgainstItsParser(t *testing.T) {
	root := filepath.Join(runtime.GOROOT(), "src")
	dirs := []string{"net/http", "go", "encoding", "runtime", "text"}
	if os.Getenv("ALL") != "" {
		dirs = []string{"."}
	}
	var funcs, types, files, wrong int
	for _, dir := range dirs {
		filepath.WalkDir(filepath.Join(root, dir), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() && e.Name() == "testdata" {
				return fs.SkipDir
			}
			b, err := os.ReadFile(name)
			if err != nil || !strings.HasSuffix(name, ".go") {
				return nil
			}
			wantFuncs, wantTypes := decls(t, b)
			if len(wantFuncs) == 0 {
				return nil
			}
			files++
			funcs, types = funcs+len(wantFuncs), types+len(wantTypes)
			d, ok := Scan(b, part.Clues{File: name})
			if !ok {
				t.Errorf("%s: not recognized as code", name)
				return nil
			}
			parttest.Check(t, b, d, nil)
			got := ids(d)
			for at, want := range wantFuncs {
				if got[at] != want {
					wrong++
					t.Errorf("%s: function %s is %q: %.60q", name, want, got[at], b[at[0]:at[1]])
				}
			}
			for at, want := range wantTypes {
				if got[at] != want {
					wrong++
					t.Errorf("%s: type %s is %q: %.60q", name, want, got[at], b[at[0]:at[1]])
				}
			}
			return nil
		})
	}
	if files == 0 {
		t.Skip("the sources of Go are not installed")
	}
	t.Logf("%d files, %d functions, %d types, %d wrong", files, funcs, types, wrong)
}
