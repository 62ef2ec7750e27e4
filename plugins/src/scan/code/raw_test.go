package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// q is three quotes.
const q = `"""`

func TestRawStrings(t *testing.T) {
	for _, c := range []struct{ rule, ext, text, want string }{
		{"a raw string of lines", "kt", "fun a() {\n  val x = " + q + "\n} { \" \\\n  " + q + "\n}\nfun b() {\n}\n", "a b"},
		{"a raw string ends with its last three quotes", "kt", "val x = " + q + "say \"}\"" + q + "\"\nfun a() {\n}\nval y = " + q + "\"{\"" + q + "\nfun b() {\n}\n", "x a y b"},
		{"code in a template", "kt", "fun a() = " + q + "\n  ${ f(\"}\") { g(\"${h(\"\"\"}\"\"\")}\") } } {\n  " + q + "\nfun b() {\n}\n", "a b"},
		{"code in a template of one line", "kt", "fun a(): String {\n  return \"x ${ if (b) \"{\" else \"\\\"}\" } $c {\"\n}\nfun b() {\n}\n", "a b"},
		{"a dollar without code", "kt", "fun a() = " + q + "$ $$ $x ${'$'}{ " + q + "\nfun b() = \"\\${\"\nfun c() {\n}\n", "a b c"},
		{"templates nest", "kt", "fun a() = \"${\"${\"${b}\"}\"}\"\nfun b() {\n}\n", "a b"},
		{"a raw string that does not end", "kt", "fun a() {\n}\nfun b() = " + q + "\n", "a b"},
		{"types in types", "kt", "sealed interface A<out T> {\n  data class B<T>(val x: T) : A<T>\n  data object C : A<Nothing> {\n    fun f() {\n    }\n  }\n  companion object D {\n    fun g() {\n    }\n  }\n  enum class E { F }\n  fun interface G {\n    fun h()\n  }\n}\nobject I {\n  inner class J\n  const val K = 1\n}\nvalue class M(val x: Int)\n", "A A/B A/C A/C/f A/D A/D/g A/E A/G A/G/h I I/J I/K M"},
		{"extensions", "kt", "fun <T : Any> List<T>.a(x: T): T? = x\nsuspend inline fun <reified T> b() {\n}\noperator fun C.plus(x: C): C = x\ninfix fun C.D.e(x: Int) {\n}\n", "List<T>.a b C.plus C.D.e"},

		{"a string of lines", "swift", "func a() -> String {\n  return " + q + "\n  } \" {\\(b(\"}\")) \\" + q + " {\n  " + q + "\n}\nfunc b() {\n}\n", "a b"},
		{"a raw string", "swift", "func a() -> String {\n  #\"\\\" { \"\"#\n}\nfunc b() {\n  x = ##\"{ \"# \"##\n}\nfunc c() {\n}\n", "a b c"},
		{"a raw string of lines", "swift", "func a() -> String {\n  #" + q + "\n } { " + q + " \"\n \\#(x)\n  " + q + "#\n}\nfunc b() {\n}\n", "a b"},
		{"code in a string", "swift", "func a() {\n  print(\"x \\(b(\"}\")) { \\(c ? \"{\" : \"}\")\")\n}\nfunc b() {\n}\n", "a b"},

		{"three quotes", "scala", "object A {\n  val x = s" + q + "} \" \\ ${b(\"{\")} $c {" + q + "\n  def b(y: Int) = {\n  }\n}\nclass C {\n}\n", "A A/b C"},
		{"three quotes after quotes", "scala", "object A {\n  val x = " + q + "say \"}\"" + q + "\"\n  def b = {\n  }\n}\nclass C {\n}\n", "A A/b C"},

		{"a raw string of lines", "cs", "class A {\n  string x = " + q + "\n  } \"\" { \\\n  " + q + ";\n  void M() {\n  }\n}\n", "A A/M"},
		{"a raw string of four quotes", "cs", "class A {\n  string x = " + q + "\"\n  } " + q + " {\n  " + q + "\";\n  void M() {\n  }\n}\n", "A A/M"},
		{"code in a raw string", "cs", "class A {\n  string x = $$" + q + "\n  } {{b(\"c\")}} {\n  " + q + ";\n  void M() {\n  }\n}\n", "A A/M"},
		{"code in a string", "cs", "class A {\n  string X() => $\"{b[\"c\"]} {{ {d}\";\n  void M() {\n  }\n}\n", "A A/X A/M"},
		{"a verbatim string with code", "cs", "class A {\n  string x = $@\"{b} \"\" {{ \\\";\n  string y = @$\"\\ \"\" }\";\n  void M() {\n  }\n}\n", "A A/M"},

		{"a text block with quotes", "java", "class A {\n  String s = " + q + "\n    } \" \"\" \\" + q + " { \\\n    say \\\"" + q + ";\n  void m() {\n  }\n}\n", "A A/m"},
		{"three quotes", "groovy", "class A {\n  def x = " + q + "} ${b} \" {" + q + "\n  def y = '''} ' {'''\n  void m() {\n  }\n}\n", "A A/m"},
		{"code in a string of a member", "kt", "class A {\n  fun a() = \"x ${ if (b) \"{\" else \"\\\"}\" } $c {\"\n  fun b() = \"${'\"'} ${f(\"\"\"{\"\"\")} ${ {\"\n  fun c() {\n  }\n}\nclass D\n", "A A/a A/b A/c D"},
		{"code in a string of a member", "swift", "class A {\n  func a() { print(\"\\(b ? \"{\" : \"\")\") }\n  func b() { print(\"\\( {\") }\n  func c() {\n  }\n}\nclass D {\n}\n", "A A/a A/b A/c D"},
		{"code in a string of a member", "scala", "class A {\n  def a = s\"${b(\"{\")}\"\n  def c = {\n  }\n}\nclass D\n", "A A/a A/c D"},
		{"code in a string of a member", "cs", "class A {\n  string X() => $\"{b[\"{\"]} {{ {d}\";\n  string Y() => \"{\";\n  void Z() {\n  }\n}\nclass D {\n}\n", "A A/X A/Y A/Z D"},
	} {
		got := named(mustScan(t, c.ext, c.text))
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s (%s): %q, want %q", c.rule, c.ext, got, want)
		}
	}
}

// A comment of documentation and annotations are in the part of their definition.
func TestDocumentationOfKotlin(t *testing.T) {
	text := "package a\n\n/**\n * Does { it.\n */\n@A(\"}\")\n@B\nfun a() {\n" + strings.Repeat("  b()\n", 99) + "}\n\n/** Is it. */\n@C class D {\n  /** Is } e. */\n  @JvmStatic\n  fun e() {\n" + strings.Repeat("    b()\n", 99) + "  }\n\n  // Is f.\n  @F fun f() {\n  }\n}\n"
	doc := mustScan(t, "kt", text)
	for id, want := range map[string]string{"a": "/**\n * Does", "D": "/** Is it", "e": "/** Is } e", "f": "// Is f"} {
		found := false
		for i, p := range doc.Parts {
			var n part.Name
			if doc.Name(i, &n); string(n.ID) == id {
				found = strings.Contains(text[p.Start:min(int(p.End), int(p.Start)+80)], want)
			}
		}
		if !found {
			t.Errorf("%s has no %q", id, want)
		}
	}
}
