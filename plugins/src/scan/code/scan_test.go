package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// named returns the paths of the parts that have a name.
func named(d *part.Doc) (out []string) {
	paths := make([]string, len(d.Parts))
	for i, p := range d.Parts {
		var n part.Name
		d.Name(i, &n)
		paths[i] = string(n.ID)
		if p.Parent >= 0 {
			paths[i] = paths[p.Parent] + "/" + paths[i]
		}
		if n.ID[0] != 'L' || len(strings.Trim(string(n.ID[1:]), "0123456789")) > 0 {
			out = append(out, paths[i])
		}
	}
	return out
}

func mustScan(t *testing.T, ext, text string) *part.Doc {
	t.Helper()
	d, ok := Scan([]byte(text), part.Clues{File: "x." + ext, Forced: true})
	if !ok {
		t.Fatalf("%s: no parts in %.60q", ext, text)
	}
	parttest.Check(t, []byte(text), d, nil)
	return d
}

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		rule, ext, text string
		want            string
	}{
		{"method with receiver type", "go", "package a\nfunc (s *S[K, V]) F() {\n}\nfunc (T) G() {}\nfunc H[T any](x T) {}\n", "S.F T.G H"},
		{"braces in strings and comments", "go", "func a() {\n\tx := \"{\" + `{{\n{` + string('{') // {\n\t/* { */\n}\nfunc b() {\n}\n", "a b"},
		{"definition in first column closes open brackets", "go", "func a() {\n\tif x {\n\n// B is.\nfunc b() {\n}\n", "a b"},
		{"grouped types are one part", "go", "type (\n\tA int\n\tB int\n)\n\ntype C struct {\n\tx int\n}\n", "C"},
		{"literal types as results", "go", "func a() interface{} {\n\treturn nil\n}\nfunc b() (x struct{}) {\n}\n", "a b"},

		{"functions as declarations and values", "js", "export default async function a() {\n}\nconst b = async (x) => {\n}\nexports.c = function () {\n}\nconst d = class {\n}\nlet e = 1\n", "a b exports.c"},
		{"members of a class", "js", "class A extends B {\n  #x = 1;\n  static async *m(a = {}) {\n  }\n  get [k]() {\n  }\n  constructor() {\n  }\n  f = () => {\n  }\n}\n", "A A/m A/constructor A/f"},
		{"template literals with code in them", "js", "function a() {\n  return `}${ f({ x: `}` }) }{`\n}\nfunction b() {\n}\n", "a b"},
		{"quotes and braces in regular expressions", "js", "function a(s) {\n  return s.replace(/[/\"]{/g, '') / 2\n}\nfunction b() {\n  x = a / b / c\n}\n", "a b"},
		{"functions in an object", "js", "module.exports = {\n  a: function () {\n  },\n  b: (x) => {\n  },\n  'c-d': async function () {\n  },\n" + strings.Repeat("  key: 'value of it',\n", 40) + "}\n", "module.exports module.exports/a module.exports/b module.exports/c-d"},
		{"optional members and type parameters", "ts", "class A {\n  a<B extends C = D>(b: B): E<B, [F]> {\n  }\n  g?(h: string): void {\n  }\n}\ninterface I<J = K>\n  extends L<J> {\n  m: J\n}\n", "A A/a A/g I"},
		{"type parameters over several lines", "ts", "export type A<\n  B = unknown,\n  C extends D = D\n> = C extends B\n  ? (x: C) => void\n  : never\n\nexport type E<\n  F\n> = {\n  x: F\n}\n", "A E"},
		{"dotted result types, methods named like control words", "ts", "class A {\n  m(a: b.C, d: e.F): g.H | undefined {\n  }\n  delete(x: string) {\n  }\n  then(x).y(() => {\n  })\n}\n", "A A/m A/delete"},
		{"optional methods, methods named like defining words", "ts", "class A {\n  p?(u: U, t: c.T): c.P<U> {\n  }\n  get type(): X {\n  }\n  private static enum() {\n  }\n}\n", "A A/p A/type A/enum"},
		{"type parameters in a block", "ts", "declare module 'a' {\n    type B<\n        C extends typeof d.e = typeof d.e,\n        F = G,\n    > = d.h & d.i;\n    type J = K<\n        L>;\n    type M = 1;\n}\n", "a a/B a/J a/M"},
		{"control statements are no methods", "js", "class A {\n  m() {\n    if (x) {\n    }\n  }\n}\nif (y) {\n}\nfor (;;) {\n}\n", "A A/m"},
		{"callback is not a function of that name", "js", "a('x', function () {\n  b('y', () => {\n  })\n})\nfunction f() {\n}\n", "f"},
		{"tests are named by their description", "ts", "import a from 'b'\ndescribe('the \"parser\" of lists', function () {\n  it(`reads an empty list, a list of one and of many`, () => {\n  })\n})\ntest.skip(\n  'name',\n  async () => {\n})\nit.each([1])('of %d', (x) => {\n})\ntest(x)\n", "the-parser-of-lists the-parser-of-lists/reads-an-empty-list-a-list-of name of-d"},
		{"specs", "rb", "require 'a'\nRSpec.describe A do\n  it \"adds\" do\n  end\nend\ndescribe 'B' do\n  it 'b' do\n    x\n  end\nend\n", "A A/adds B B/b"},
		{"tests of Elixir", "ex", "defmodule A do\n  describe \"b/1\" do\n    test \"is c\", %{d: e} do\n      x\n    end\n  end\nend\n", "A A/b-1 A/b-1/is-c"},
		{"types of TypeScript", "ts", "export interface A<T> {\n  x: T\n}\nexport type B = { y: 1 }\nenum C {\n  D\n}\ndeclare module 'e' {\n  function f(): void\n}\n@Dec({ a: 1 })\nexport class G {\n  constructor(private x: number) {}\n}\n", "A B C e e/f G G/constructor"},
		{"JSX with quotes in its text", "tsx", "export function A() {\n  return <p className=\"x\">don't {b}</p>\n}\nexport const C: FC<P> = ({ d }) => {\n}\n", "A C"},

		{"annotation belongs to the definition below", "java", "package a;\n@Foo(bar = \"}\")\npublic final class A<T extends B> extends C {\n  private int x;\n  @Override\n  public <U> List<U> m(@P int a) throws E {\n    if (a) { }\n  }\n  A() { super(); }\n  abstract void n();\n}\n", "A A/m A/A"},
		{"text blocks", "java", "class A {\n  String s = \"\"\"\n    } \" class B {\n    \"\"\";\n  void m() {\n  }\n}\n", "A A/m"},
		{"records, enums, interfaces", "java", "record P(int x, int y) {\n}\nenum E { A, B }\ninterface I {\n  default void f() {\n  }\n}\n", "P E I I/f"},

		{"functions of C", "c", "#include <a.h>\nstatic int\nf(int a,\n  int b)\n{\n  return '}' + \"}\"[0];\n}\nstruct s *g(void) {\n}\nint proto(int);\nstatic const struct ops o = {\n  .a = f,\n};\n", "f g"},
		{"both branches of a conditional", "c", "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n  return 0;\n}\n\nint g(void) {\n}\n", "f g"},
		{"types of C", "c", "typedef struct {\n  int a;\n} T;\nenum E {\n  A,\n};\nunion U {\n  int a;\n};\nstruct S {\n  int a;\n};\n", "T E U S"},
		{"macros of several lines", "c", "#define M(x) do { \\\n  if (x) { \\\n} while (0)\n\nint f(void) {\n  goto out;\nout:\n  return 1;\n}\n", "M f"},
		{"members of C++", "cc", "namespace a::b {\ntemplate <typename T, int N = 3>\nclass A : public B<T> {\n public:\n  A() : x_{1} {}\n  ~A() {\n  }\n  bool operator==(const A& o) const {\n    return x_ == o.x_;\n  }\n private:\n  int x_ = 1'000;\n};\n\nint A<T>::get() const {\n}\nauto s = R\"x(\n} )\" {)x\";\nvoid C::d() {\n}\n}  // namespace\n", "a::b a::b/A a::b/A/A a::b/A/~A a::b/A/operator== a::b/get a::b/C::d"},

		{"type with macro or path before name", "cc", "class EXPORTED A : public B {\n public:\n  void f() {\n  }\n};\nstruct A::Rep {\n  int x;\n};\n", "A A/f A::Rep"},
		{"type with attribute before name", "c", "struct __attribute__ ((__packed__)) a {\n  int x;\n};\nstruct alignas(8) b {\n  int x;\n};\n", "a b"},
		{"C in C++", "cc", "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(int a) {\n  return a;\n}\n\nvoid g() {\n}\n#ifdef __cplusplus\n}\n#endif\n", "L2/f L2/g"},

		{"directives between attributes and in a head", "cs", "namespace A.B\n{\n    [Test]\n#if !X\n    [Category(\"c\")]\n#endif\n    public class C : D\n    {\n        public int M() {\n        }\n    }\n    public partial class E\n#if X\n        : F\n#endif\n    {\n        public int N() {\n        }\n    }\n}\n", "A.B A.B/C A.B/C/M A.B/E A.B/E/N"},
		{"members of C#", "cs", "using System;\nnamespace A.B\n{\n    /// <summary>It is.</summary>\n    [Serializable]\n    public class C : D\n    {\n        public int X { get; set; } = 3;\n        [Test(\"}\")]\n        public async Task<int> M(string s = @\"a\"\"}\") {\n        }\n        public string N => \"}\";\n    }\n    struct S\n    {\n    }\n}\n", "A.B A.B/C A.B/C/M A.B/C/N A.B/S"},
		{"attributes and properties of C#", "cs", "using System;\nnamespace A\n{\n#pragma warning disable X\n    [G.H(1)]\n#pragma warning restore X\n    public class C : D\n    {\n        public C()\n        {\n        }\n        [global::System.Browsable(false)]\n        [Y]\n        public override global::S.Mode Mode {\n            get { return m; }\n        }\n        public delegate void Handler(object a, int b);\n        public int Z\n        {\n            get; set;\n        }\n    }\n}\n", "A A/C A/C/C A/C/Mode A/C/Handler A/C/Z"},

		{"lifetimes are not characters", "rs", "pub struct A<'a> {\n    x: &'a str,\n}\nimpl<'a, T> Tr<T> for A<'a> where T: B {\n    fn f<'b>(&'b self) -> char {\n        '}'\n    }\n}\n", "A impl-Tr<T>-for-A<'a> impl-Tr<T>-for-A<'a>/f"},
		{"raw strings and nested comments", "rs", "fn a() -> &'static str {\n    /* } /* } */ } */\n    r#\"\"}\"#\n}\n#[test]\n#[cfg(x)]\nasync fn b() {\n}\nmacro_rules! c {\n    () => {};\n}\nmod d {\n    fn e() {\n    }\n}\n", "a b c d d/e"},

		{"functions and classes by indentation", "py", "import a\n\n@dec(\n    1)\nclass A(B):\n    '''doc\nnot deeper\n'''\n    x = 1\n\n    @property\n    async def f(self,\nb=\"\"\"\n)\"\"\"):\n        pass\n\n    # g\n    def g(self): pass\n\ndef h():\n    return {\n'a': 1,\n}\n", "A A/f A/g h"},
		{"comments in brackets", "py", "class A:\n    x = {\n        # a\n        1: 2,\n# b\n        # c\n        3: 4,\n    }\n\n    @p(\n        # d\n        1,\n    )\n    def f(self):\n        pass\n", "A A/f"},
		{"continued line", "py", "def a():\n    x = 1 + \\\n2\n    return x\ndef b():\n    pass\n", "a b"},
		{"comments between blocks", "py", "def a():\n    x\n# out\n    y\n# b\ndef b():\n    pass\n    # in b\n\n\ndef c():\n    pass\n", "a b c"},

		{"classes, modules, heredocs", "rb", "module A\n  class B < C\n    attr_reader :x\n\n    # d is\n    def self.d(x)\n      y = <<~EOS\n  end\n      EOS\n      y if x\n    end\n\n    def e? = true\n  end\nend\n", "A A/B A/B/self.d A/B/e?"},
		{"comments of whole lines", "rb", "=begin\ndef x\nend\n=end\ndef a\nend\n", "a"},
		{"functions of Lua", "lua", "local a = {}\nfunction a.b:c(x)\n  return [==[\n]]\nend ]==]\nend\nlocal function d()\nend\na.e = function()\nend\n", "a a.b:c d a.e"},
		{"functions of a shell", "sh", "#!/bin/bash\nset -e\na() {\n  cat <<EOF\n}\nb() {\nEOF\n  x=${#y}\n}\nfunction c {\n  case $1 in\n    x) echo ;;\n  esac\n}\nc-d () {\n  :\n}\na \"$@\"\n", "a c c-d"},
		{"statements of SQL", "sql", "-- a\nCREATE TABLE IF NOT EXISTS s.a (\n  x int -- ;\n);\ncreate or replace function f() returns int as $$\nbegin\n  return 1;\nend;\n$$ language plpgsql;\nINSERT INTO a VALUES (';');\nCREATE TABLE [dbo].[B] (\n  y int\n);\n", "s.a f B"},

		{"name with unclosed quote", "sql", "create function\"000", ""},
		{"type below the PHP tag", "php", "<?php\n/** is */\nclass A extends B {\n    private $x;\n    public function m() {\n    }\n}\n", "A A/m"},
		{"type directly below the PHP tag", "php", "<?php // x\nfinal class A {\n    public function m() {\n    }\n}\n", "A A/m"},
		{"PHP", "php", "<?php\nnamespace A;\nabstract class B extends C\n{\n    public function m(array $x = []): ?int\n    {\n        return <<<EOT\n}\nEOT;\n    }\n}\nfunction f() {\n}\n", "B B/m f"},
		{"Kotlin", "kt", "package a\n\ndata class A(val x: Int) {\n    fun f(): Int = 1\n    companion object {\n        fun g() {\n        }\n    }\n}\n\nfun String.h() {\n}\n", "A A/f A/L5/g String.h"},
		{"backtick names, expect and actual", "kt", "expect class A {\n    fun `is not empty`() {\n    }\n}\nactual interface B {\n    fun g() {\n    }\n}\n", "A A/is-not-empty B B/g"},
		{"head over several lines", "swift", "private final class A<B: C>: D, E\n    where B.F == G {\n    func `in`() {\n    }\n}\n", "A A/in"},
		{"Swift", "swift", "import A\n\n@objc public class B: C {\n    init(x: Int) {\n    }\n    func f() -> Int {\n    }\n}\nextension D {\n}\n", "B B/init B/f D"},
		{"protobuf", "proto", "syntax = \"proto3\";\nmessage A {\n  string x = 1;\n  enum E {\n    Z = 0;\n  }\n}\nservice S {\n  rpc F(A) returns (A) {}\n}\n", "A A/E S S/F"},
		{"equations of Haskell", "hs", "{-# LANGUAGE A #-}\nmodule A (b) where\n\nimport C\n\ndata D a = E a\n  | F\n  deriving (Eq)\nclass (G a) => H a where\n  i :: a\ninstance H (D a) where\n  i = 'x'\n\n-- | b is.\nb :: Int\n  -> Int\nb 0 = 1\nb n = go n\n  where\n    go x = x\n\nb' :: Int\nb' = 2\n(<+>) :: a -> a\n(<+>) = id\n", "D H H/i instance-H-(D-a) instance-H-(D-a)/i b b' <+>"},
		{"blocks of HCL", "tf", "# a\nterraform {\n  required_version = \"1\"\n}\nvariable \"x\" {\n  type = string\n}\nresource \"aws_a\" \"b\" {\n  for_each = { for k in x : k => 1 }\n  c = <<EOT\n}\nEOT\n}\ndata \"d\" \"e\" {}\nlocals {\n  f = 1\n}\n", "terraform variable.x aws_a.b data.d.e locals"},
		{"functions and tests of R", "r", "library(a)\nb <- function(x, y = \"}\") {\n  x\n}\nc.d = function() NULL\ntest_that(\"it is (#12)\", {\n  expect_equal(1, 1)\n})\n", "b c.d it-is-12"},
		{"make targets", "mk", "A = 1\nB := $(A)\n.PHONY: all\nall: b $(C) ## says\n\techo x\n\n\techo y\nb.o: b.c\n\tcc -c b.c\n", "all b.o"},
		{"rows of a dump", "sql", "CREATE TABLE a (\n  x int\n);\nCOPY public.a (x) FROM stdin;\nCREATE TABLE b (x int);\n1\t(\n\\.\n\nCREATE TABLE c (\n  y int\n);\n", "a c"},
		{"rows of a dump without end", "sql", "copy a from stdin;\nCREATE TABLE b (\n  x int\n);\nCREATE TABLE c (\n  y int\n);\n", "b c"},
		{"Dockerfile stages", "dockerfile", "# syntax=x\nARG A=1\nFROM a:1 AS build\nRUN x && \\\n    y\n\nCOPY . .\nFROM b\nCOPY --from=build /x /x\n", "build b"},
		{"Tcl", "tcl", "proc a {x} {\n    puts $x\n}\n\nproc b::c {} {\n}\n", "a b::c"},
	} {
		got := named(mustScan(t, c.ext, c.text))
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s (%s): %q, want %q", c.rule, c.ext, got, want)
		}
	}
}

// An arrow function is one part, even if its body begins on the line after the arrow.
func TestValueAfterArrow(t *testing.T) {
	body := "export const sorted = (\n  a: A[],\n): B[] =>\n  a.sort((x, y) =>\n    x.n - y.n\n  );\n"
	text := body + strings.Repeat("\nexport function last() {\n  return 1;\n}\n", 3)
	d, ok := Scan([]byte(text), part.Clues{File: "a.ts"})
	if !ok {
		t.Fatal("no code")
	}
	var n part.Name
	d.Name(0, &n)
	if got := text[d.Parts[0].Start:d.Parts[0].End]; string(n.ID) != "sorted" || strings.TrimSpace(got) != strings.TrimSpace(body) {
		t.Errorf("part %s is %q, want %q", n.ID, got, body)
	}
}
