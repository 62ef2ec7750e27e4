package section_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// oneLeaf returns a text of code as one leaf.
func oneLeaf(text []byte) content {
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "code"}}
	b.add(-1, abi.SectionExact, 0, len(text), "L1", "all")
	return content{name: "code", text: text, tree: b.tree}
}

// between returns the part of a text from one mark to the end of another.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	start := strings.Index(text, from)
	if start < 0 {
		t.Fatalf("no %q", from)
	}
	end := strings.Index(text[start:], to)
	if end < 0 {
		t.Fatalf("no %q after %q", to, from)
	}
	return text[start : start+end+len(to)]
}

// TestMembersInALeaf checks, for each language, the members of two types in one leaf that
// both declare run: a path returns the one of its type, and the name alone all of them.
func TestMembersInALeaf(t *testing.T) {
	for _, c := range []struct {
		file, run    string
		lamp, heater [2]string // beginning and end of run
		stop         string    // a member only of Lamp, on one line
		also         string    // another member of Lamp
	}{
		{"lamp.py", "run", [2]string{"    # Starts", "# of the Lamp\n"}, [2]string{"    def run(self):\n        return", "\"Heater\"\n"}, "    def stop(self): return 1\n", "__init__"},
		{"lamp.ts", "run", [2]string{"  /** Starts", "\"Lamp\";\n  }\n"}, [2]string{"  run<T", "\"Heater\"\n  }\n"}, "  get stop(): number { return 1 }\n", "handler"},
		{"lamp.js", "run", [2]string{"  // Starts", "\"Lamp\";\n  }\n"}, [2]string{"  run: function", "\"Heater\";\n  },\n"}, "  stop() { return 1; }\n", "handler"},
		{"lamp.rs", "run", [2]string{"    /// Starts", "\"Lamp\"\n    }\n"}, [2]string{"    fn run(&self) {\n        \"Heater", "\n    }\n"}, "    fn stop(&self) -> u8 { 1 }\n", "run"},
		{"Lamp.cs", "Run", [2]string{"        /// <summary>Starts", "\"Lamp\";\n        }\n"}, [2]string{"        public void Run()", "\"Heater\";\n        }\n"}, "        public int Stop() => 1;\n", "Level"},
		{"Lamp.java", "run", [2]string{"    /**\n     * Starts", "\"Lamp\";\n    }\n"}, [2]string{"    void run() {\n        return \"Heater", "\n    }\n"}, "    abstract int stop();\n", "Lamp"},
		{"Lamp.kt", "run", [2]string{"    /** Starts", "\"Lamp\"\n    }\n"}, [2]string{"    fun run() {", "\"Heater\"\n    }\n"}, "    fun stop() = 1\n", "run"},
		{"lamp.rb", "run", [2]string{"    # Starts", "done\n    end\n"}, [2]string{"    def run\n      \"Heater", "\n    end\n"}, "    def stop = 1\n", "initialize"},
		{"lamp.php", "run", [2]string{"    // Starts", "\"Lamp\";\n    }\n"}, [2]string{"    public function run(): void", "\"Heater\";\n    }\n"}, "    abstract protected function stop(): int;\n", "__construct"},
		{"lamp.cpp", "run", [2]string{"  // Starts", "\"Lamp\";\n  }\n"}, [2]string{"    void run();", "\n"}, "  int stop() const noexcept;\n", "Lamp"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", "members", c.file))
		if err != nil {
			t.Fatal(err)
		}
		same := func(name string) string { // in the case of the language
			if c.run == "Run" {
				return strings.ToUpper(name[:1]) + name[1:]
			}
			return name
		}
		d := open(t, oneLeaf(text), section.Settings{})
		lamp, heater := between(t, string(text), c.lamp[0], c.lamp[1]), between(t, string(text), c.heater[0], c.heater[1])
		for path, want := range map[string]string{
			"Lamp." + c.run: lamp, "Lamp::" + c.run: lamp, "Lamp/" + c.run: lamp, "Lamp#" + c.run: lamp, "Lamp." + c.run + "()": lamp, "L1/Lamp/" + c.run: "",
			"Heater." + c.run: heater, "Heater::" + c.run: heater, "Heater/" + c.run: heater,
			"Lamp." + same("stop"): c.stop, "Heater/" + same("stop"): "", "Lamp/" + same("cool"): "", "Lamp::" + same("warm"): "", "Heater." + c.also + "x": "",
		} {
			a := d.Read(ref, path)
			if strings.HasPrefix(path, "L1/") {
				if !a.IsError && string(a.Text) != lamp { // a namespace may be between
					t.Errorf("%s: Read(%q) = %q", c.file, path, a.Text)
				}
				continue
			}
			if a.IsError != (want == "") || want != "" && string(a.Text) != want {
				t.Errorf("%s: Read(%q) = %q, want %q", c.file, path, a.Text, want)
			}
		}
		if a := d.Read(ref, "Lamp."+c.also); a.IsError {
			t.Errorf("%s: Read(%q) = %q", c.file, "Lamp."+c.also, a.Text)
		}
		if a := d.Read(ref, c.run); a.IsError || len(a.Meta.Offers) < 2 || !strings.Contains(string(a.Text), fmt.Sprintf("match %q", c.run)) {
			t.Errorf("%s: Read(%q) = %q, want a list of two", c.file, c.run, a.Text)
		} else {
			for _, id := range a.Meta.Offers {
				if a := d.Read(ref, id); a.IsError {
					t.Errorf("%s: Read(%q) of an offered id = %q", c.file, id, a.Text)
				}
			}
		}
	}
}

// TestMemberRules checks which declarations in a leaf are members of a type.
func TestMemberRules(t *testing.T) {
	for _, c := range []struct{ rule, text, path, want string }{
		{"function in a function", "class A:\n    def start(self):\n        def run():\n            pass\n", "A/run", ""},
		{"member of a nested class", "class A:\n    class B:\n        def run(self):\n            pass\n", "A/run", ""},
		{"member of a nested class by its path", "class A:\n    class B:\n        def run(self):\n            pass\n", "A/B/run", "        def run(self):\n            pass\n"},
		{"member of a nested class by its name", "class A:\n    class B:\n        def run(self):\n            pass\n", "B.run", "        def run(self):\n            pass\n"},
		{"member in a condition", "class A:\n    if X:\n        def run(self):\n            pass\n", "A.run", "        def run(self):\n            pass\n"},
		{"call in a method", "class A {\n  x() {\n    run(1);\n  }\n}\n", "A.run", ""},
		{"call in the value of a field", "class A {\n  int x =\n      run(1);\n}\n", "A.run", ""},
		{"call at the top", "run(1);\nclass A {\n}\n", "run", ""},
		{"members of another declaration", "class A {}\nclass B {\n  run() {\n  }\n}\n", "A.run", ""},
		{"members without indentation", "class A {\nrun() {\n}\n}\nclass B {\nrun() {\n}\n}\n", "A.run", ""},
		{"class that begins after a brace", "class A {\n  x() {}\n} class B {\n  run() {}\n}\n", "A.run", ""},
		{"class that begins after a brace in another column", "class A {\n  x() {}\n  } class B {\n  run() {}\n}\n", "A.run", ""},
		{"overloads", "class A {\n  void run();\n  void run(int x);\n}\n", "A.run", "2 sections match"},
		{"accessors", "class A:\n    @property\n    def run(self): pass\n    @run.setter\n    def run(self, x): pass\n", "A.run", "2 sections match"},
		{"name that begins with another one", "class A {\n  runner() {\n  }\n  rerun() {\n  }\n}\n", "A.run", ""},
		{"class whose name begins with another one", "class Abc {\n  run() {\n  }\n}\n", "A.run", ""},
		{"commented code", "class A {\n  // run() {\n  /*\n  run() {\n  }\n  */\n  # run() {\n}\n", "A.run", ""},
		{"trait of an impl", "impl A for B {\n    fn run(&self) {\n    }\n}\n", "A.run", ""},
		{"type of an impl", "impl<T> A<T> for B<T>\nwhere\n    T: C,\n{\n    fn run(&self) {\n    }\n}\n", "B.run", "    fn run(&self) {\n    }\n"},
		{"impl blocks", "impl B {\n    fn run(&self) {\n    }\n}\nimpl A for B {\n    fn run(&self) {\n    }\n}\n", "B::run", "2 sections match"},
		{"function that returns the type", "struct A make() {\n  run();\n}\n", "A.run", ""},
		{"carriage returns", "class A {\r\n  run() {\r\n  }\r\n}\r\nclass B {\r\n  run() {\r\n  }\r\n}\r\n", "B.run", "  run() {\r\n  }\r\n"},
		{"tabs", "class A\n{\n\tvoid Run()\n\t{\n\t}\n}\n", "A.Run", "\tvoid Run()\n\t{\n\t}\n"},
		{"braces on lines of their own, indented", "class A\n  {\n    void run ()\n      {\n      }\n  };\n", "A.run", "    void run ()\n      {\n      }\n"},
		{"end of the text", "class A:\n    def run(self): pass", "A.run", "    def run(self): pass"},
		{"blank lines and comments in a body", "class A:\n    def run(self):\n\n        x()\n        # end\n\n    def stop(self): pass\n", "A.run", "    def run(self):\n\n        x()\n        # end\n"},
	} {
		a := open(t, oneLeaf([]byte(c.text)), section.Settings{LeafSize: 64}).Read(ref, c.path)
		isList := strings.HasSuffix(c.want, "match")
		if a.IsError != (c.want == "") || c.want != "" && string(a.Text) != c.want && !(isList && strings.HasPrefix(string(a.Text), c.want)) {
			t.Errorf("%s: Read(%q) = %q, want %q", c.rule, c.path, a.Text, c.want)
		}
	}
}

// TestMembersOfSections checks types that are leaves or divided, beside each other.
func TestMembersOfSections(t *testing.T) {
	text := []byte("class A {\n  run() {\n  }\n}\nimpl B {\n  fn run() {\n  }\n  fn stop() {\n  }\n}\n")
	b := &treeBuilder{text: text, tree: abi.Tree{Type: "code"}}
	at := bytes.Index(text, []byte("impl"))
	b.add(-1, abi.SectionExact, 0, at, "A", "class A")
	divided := b.add(-1, abi.SectionExact, at, len(text), "impl-B", "impl B")
	run, stop := bytes.Index(text, []byte("  fn run")), bytes.Index(text, []byte("  fn stop"))
	b.add(divided, abi.SectionExact, at, run, "L5", "impl B")
	b.add(divided, abi.SectionExact, run, stop, "run", "fn run()")
	b.add(divided, abi.SectionExact, stop, len(text), "stop", "fn stop()")
	d := open(t, content{text: text, tree: b.tree}, section.Settings{LeafSize: 64})
	for path, want := range map[string]string{"A.run": "A!10-24", "A::run": "A!10-24", "B.run": "impl-B/run", "B/stop": "impl-B/stop", "B::run": "impl-B/run", "A.stop": ""} {
		if a := d.Read(ref, path); a.IsError != (want == "") || want != "" && a.Meta.Section != want {
			t.Errorf("Read(%q) is about %q, want %q: %s", path, a.Meta.Section, want, a.Text)
		}
	}
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// TestMembersOfRandomCode checks that a member that is found is in the type that the path
// names: random code declares each type and member under a name of its own.
func TestMembersOfRandomCode(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	lines := []string{"run() {", "}", "{", "x(run(1));", "  y", "def run(self):", "fn run() {}", "// run() {", "  run() {}", "@run()", "", "});", "public:", "#if run", "'", "end", "where"}
	for range 5000 {
		var text strings.Builder
		open1 := ""
		for range 1 + rnd.IntN(4) { // each type is indented, or not
			open1 = strings.Repeat(" ", 2*rnd.IntN(3))
			name := string(rune('A' + rnd.IntN(3)))
			text.WriteString(open1 + []string{"class " + name + " {", "class " + name + ":", "impl " + name + " {", "} class " + name + " {"}[rnd.IntN(4)] + "\n")
			for range rnd.IntN(5) {
				text.WriteString(strings.Repeat(" ", 2*rnd.IntN(4)) + lines[rnd.IntN(len(lines))] + "\n")
			}
		}
		d := open(t, oneLeaf([]byte(text.String())), section.Settings{LeafSize: 64})
		a := d.Read(ref, "A.run")
		if a.IsError || a.Meta.Bytes == nil {
			continue
		}
		owner, indent := "", indentOf(string(a.Text))
		above := strings.SplitAfter(text.String()[:a.Meta.Bytes[0]], "\n")
		for i := len(above) - 1; i >= 0 && owner == ""; i-- { // the nearest type above that is indented less
			words := strings.Fields(strings.TrimLeft(above[i], "} "))
			if len(words) == 0 || indentOf(above[i]) >= indent || slices.Contains([]string{"where", "end", "{", ");", "#if", "public:", "//"}, words[0]) {
				continue
			}
			if indent = indentOf(above[i]); len(words) > 1 && (words[0] == "class" || words[0] == "impl") {
				owner = words[1]
			}
		}
		if !strings.HasPrefix(owner, "A") {
			t.Fatalf("A.run is %q of %q in\n%s", a.Text, owner, text.String())
		}
	}
}
