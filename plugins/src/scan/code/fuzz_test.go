package code

import (
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// The parts of any text in any language keep the rules of part.Doc.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"package a\n\n// F is.\nfunc (s *S[T]) F() {\n\tx := `}`\n}\n\ntype T struct {\n}\n",
		"import x\n\n@d(\n)\nclass A:\n    '''doc'''\n    # c\n    def f(self,\n  y):\n        return \"\"\"\nx\"\"\"\n",
		"const a = `x${ { b: `y` } }z`;\nclass A { m() { return /[/]}/ } }\n",
		"#if X\nint f(void) {\n#else\nint f(int a) {\n#endif\n}\nR\"x()\")x\"\n'a' 1'000\n",
		"/* a /* b */ */ impl<'a> X for Y<'a> {\n  fn f() { r#\"}\"# }\n}\n",
		"cat <<-EOF\n}\n\tEOF\nf() {\n  x\n}\n", "create function f() as $$ ; $$;\n", "x = [==[\n]]\n]==]\nfunction a.b:c()\nend\n",
		"def f\n  <<~X\n  end\n  X\nend\n=begin\n=end\n", "}}}}\n)\n{{{{\n", "create function\"000", "test('\nit(\"\"\nresource \"\n", "f :: a\n(\n(+", "\xef\xbb\xbf#!/bin/sh\n",
	} {
		for ext := range 4 {
			f.Add([]byte(text), ext)
		}
	}
	var all []*language.Language
	for l := range language.All {
		all = append(all, l)
	}
	f.Fuzz(func(t *testing.T, b []byte, which int) {
		if !utf8.Valid(b) {
			t.Skip()
		}
		l := all[uint(which)%uint(len(all))]
		if d, ok := scanAs(b, l, part.Clues{Forced: true}, true); ok {
			parttest.Check(t, b, d, nil)
		}
		if d, ok := Scan(b, part.Clues{}); ok {
			parttest.Check(t, b, d, nil)
		}
	})
}
