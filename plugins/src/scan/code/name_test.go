package code

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func TestTitles(t *testing.T) {
	for _, c := range []struct{ rule, ext, text, want string }{
		{"signature and comment without repeated name", "go", "// F does\n// it all. More.\nfunc F(x int) (y error) {\n}\n", "func F(x int) (y error) // does"},
		{"first sentence only", "go", "// F does it. It is slow.\nfunc F() {\n}\n", "func F() // does it"},
		{"signature over several lines", "go", "func F(\n\ta int,\n\tb struct{},\n) error {\n}\n", "func F( a int, b struct{}, ) error"},
		{"no room for a comment", "go", "// F does it.\nfunc F(aaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbb, ccccccccccccccccccc int) {\n}\n", "func F(aaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbb, ccccccccccccccccccc int)"},
		{"directive is not a comment", "go", "//go:noinline\nfunc F() {\n}\n", "func F()"},
		{"docstring", "py", "def f(a,\n      b):\n    \"\"\"Does it.\n    More.\n    \"\"\"\n    return 1\n", "def f(a, b) // Does it"},
		{"decorators omitted", "py", "@a.b(1)\ndef f(): return 2\n", "def f(): return 2"},
		{"annotations omitted", "java", "/**\n * Does it.\n * @param a x\n */\n@A.B(c = \")\")\n@D\npublic int f(@E int a) {\n}\n", "public int f(@E int a) // Does it"},
		{"directives of C#", "cs", "/// <summary>It is.</summary>\n#pragma warning disable X\n[A(1)]\n#pragma warning restore X\npublic class B : C\n{\n}\n", "public class B : C // It is"},
		{"tags of C#", "cs", "/// <summary>\n/// Does it.\n/// </summary>\n[A(\"]\")]\npublic class B\n{\n}\n", "public class B // Does it"},
		{"attributes of Rust", "rs", "/// Does it.\n#[derive(A)]\npub struct B {\n    c: u8,\n}\n", "pub struct B // Does it"},
		{"unnamed code without its comment", "go", "// about\n\nimport (\n\t\"a\"\n)\n", "import ( \"a\" )"},
		{"test titled by its description", "js", "test('does\\'nt `x`', () => {\n})\n", "does\\'nt `x`"},
		{"number of imports", "rs", "use a::b;\nuse c::{\n    d,\n    e,\n};\nuse f;\n", "3 imports"},
		{"block of imports", "go", "package a\n\nimport (\n\t\"a\"\n\n\t\"b\"\n\tc \"d\" // e\n)\n", "3 imports"},
		{"single rule", "css", ".a, .b {\n  color: red;\n}\n", ".a, 2 selectors"},
		{"several rules", "css", ".a .b {\n  color: red;\n}\n.c {\n  color: blue;\n}\n", ".a .b, 2 rules"},
		{"block by type and name", "tf", "# a is\nresource \"b\" \"c\" {\n  d = 1\n}\n", "resource b.c // a is"},
		{"ruled comment", "sh", "########\n# About #\n########\n\nf() {\n  x\n}\n", "f()"},
		{"comments only", "go", "// about\n// this\n", "// about // this"},
	} {
		d := mustScan(t, c.ext, c.text)
		var n part.Name
		d.Name(0, &n)
		if got := string(n.Title); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestDocumentCountAndLanguage(t *testing.T) {
	for _, c := range []struct{ ext, text, count, line string }{
		{"go", "package a\n\ntype T int\n\nfunc f() {}\nfunc g() {}\n", "2 functions, 1 type", "language: go, package a"},
		{"ts", "interface A {\n}\n", "1 type", "language: typescript"},
		{"cc", "namespace a {\nint f() {\n}\n}\n", "1 function", "language: c++"},
		{"sh", "echo a\necho b\n", "2 lines", "language: shell"},
		{"sql", "CREATE TABLE a (x int);\nCREATE VIEW b AS SELECT 1;\n", "2 definitions", "language: sql"},
		{"php", "<?php\nnamespace A\\B;\nfunction f() {\n}\n", "1 function", "language: php"},
	} {
		d := mustScan(t, c.ext, c.text)
		if d.Count != c.count || strings.Join(d.Lines, "\n") != c.line {
			t.Errorf("%s: %q %q, want %q %q", c.ext, d.Count, d.Lines, c.count, c.line)
		}
	}
}

// Short statements share a part, long ones have their own.
func TestSizes(t *testing.T) {
	line := func(n int) string { return strings.Repeat("\tx = f(x, \"some text to fill it\")\n", n) }
	for _, c := range []struct {
		rule, text string
		want       int
	}{
		{"short statements share a part", "package a\n\nimport \"b\"\n\nvar c = 1\n\nconst d = 2\n", 1},
		{"shared part has a size limit", "package a\n\n" + strings.Repeat("var c = \"some text to fill it\"\n\n", 40), 3},
		{"medium function is one part", "func f() {\n" + line(40) + "}\n", 1},
		{"long function is split at blank lines", "func f() {\n" + line(20) + "\n" + line(20) + "\n" + line(20) + "}\n", 1 + 3},
		{"long function without blank lines is split at statements", "func f() {\n" + line(100) + "}\n", 1 + 3},
		{"long statement in a function is split", "func f() {\n\tif x {\n\t" + line(50) + "\n" + line(50) + "\t}\n}\n", 1 + 3},
	} {
		if d := mustScan(t, "go", c.text); len(d.Parts) != c.want {
			t.Errorf("%s: %d parts, want %d", c.rule, len(d.Parts), c.want)
		}
	}
}

// The part of the first member includes the head of the definition around it, but its title does not
// use the comment of that.
func TestTitleOfTheFirstMember(t *testing.T) {
	for _, c := range []struct{ rule, ext, text, want string }{
		{"own comment", "java", "/** The class. */\npublic class A {\n    /** Does it. */\n    public void m() {\n    }\n}\n", "public void m() // Does it"},
		{"no own comment", "java", "/** The class. */\npublic class A {\n    public void m() {\n    }\n}\n", "public void m()"},
		{"no comment", "js", "export class A {\n  m() {\n  }\n}\n", "m()"},
		{"attribute", "rs", "/// The type.\nimpl<T: Copy> A<T> {\n    #[inline]\n    fn m() {\n    }\n}\n", "fn m()"},
		{"namespace", "cc", "// The space.\nnamespace a {\nclass B {\n  int x;\n};\n}\n", "class B"},
		{"class with attribute", "swift", "// The class.\nclass A: B {\n    @objc\n    func m() {\n    }\n}\n", "func m()"},
	} {
		d := mustScan(t, c.ext, c.text)
		var n part.Name
		d.Name(1, &n)
		if got := string(n.Title); got != c.want || d.Parts[1].Parent != 0 || d.Parts[1].Start != d.Parts[0].Start {
			t.Errorf("%s: %q, want %q; %v", c.rule, got, c.want, d.Parts)
		}
	}
}

// If adjacent parts begin alike, their titles begin at the word where they differ.
func TestTitlesWithSharedStart(t *testing.T) {
	line := func(name string) string {
		return "INSERT INTO a (name, path) VALUES ('" + name + "', '" + strings.Repeat("text ", 120) + "');\n"
	}
	d := mustScan(t, "sql", "DROP TABLE a;\n"+line("begin")+line("before"))
	for i, want := range []string{"DROP TABLE a;", "...'begin', 'text", "...'before', 'text"} {
		var n part.Name
		d.Name(i, &n)
		if !strings.HasPrefix(string(n.Title), want) {
			t.Errorf("%q, want %q", n.Title, want)
		}
	}
}
