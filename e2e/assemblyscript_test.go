//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nodes are the oldest and the newest Node.js that tests of authors run in.
func nodes(t *testing.T) map[string]string {
	t.Helper()
	old, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"node of PATH": old, "node 22": node()}
}

// inFolder runs a program, which must end well.
func inFolder(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
}

// The test host of the SDK answers as ours does: the cases of the kit hold in both. In it,
// text goes into a guest and comes back.
// covers D-007
func TestAssemblyScriptTestHost(t *testing.T) {
	needNPM(t)
	for name, node := range nodes(t) {
		t.Run(name, func(t *testing.T) {
			inFolder(t, root(), node, "--test", "e2e/node/archive.test.mjs", "e2e/node/context.test.mjs", "e2e/node/kit.test.mjs", "e2e/node/text.test.mjs")
		})
	}
}

// What a README of a folder says works: asc builds release and debug, node alone runs
// the archives.
func TestAssemblyScriptExamples(t *testing.T) {
	needNPM(t)
	dir := t.TempDir()
	copyTree(t, dir, "examples", "sdk-assemblyscript")
	linkSDK(t, dir)
	for _, folder := range []string{"examples/stages/lead-assemblyscript", "examples/controllers/brake-assemblyscript"} {
		for _, target := range []string{"release", "debug"} {
			t.Run(filepath.Base(folder)+" "+target, func(t *testing.T) {
				folder := filepath.Join(dir, folder)
				inFolder(t, folder, module(".bin", "asc"), "assembly/index.ts", "--target", target)
				for _, node := range nodes(t) {
					inFolder(t, folder, node, "--test")
				}
			})
		}
	}
}

// linkSDK does what npm does of a dependency "file:...".
func linkSDK(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "sdk-assemblyscript", "mcpctl-stage"), filepath.Join(dir, "node_modules", "mcpctl-stage")); err != nil {
		t.Fatal(err)
	}
}

// A stage that works on text line by line does not run out of memory: the scaffold's
// runtime frees what the stage no longer uses. With runtime stub the first one needs more
// than 64 MiB for 128 KB.
func TestAssemblyScriptScaffoldOver16KB(t *testing.T) {
	needNPM(t)
	dir := t.TempDir()
	t.Setenv("MCPCTL_HOME", filepath.Join(dir, "home"))
	inFolder(t, dir, bin("mcpctl"), "create", "stage", "quote", "--lang", "assemblyscript", "--no-build")
	tests := []struct {
		name, body string
		sizes      []int
	}{
		{"joins lines by +=", `let out = "";
  for (let i = 0; i < lines.length; i++) out += "> " + lines[i] + "\n";
  return c.out.write(out);`, []int{16 << 10, 128 << 10}},
		{"writes line by line", `for (let i = 0; i < lines.length; i++) c.out.write("> " + lines[i] + "\n");
  return DONE;`, []int{16 << 10, 128 << 10, 1 << 20}},
	}
	for _, tt := range tests {
		source := "import { Ctx, DONE, register } from \"mcpctl-stage\";\n\nexport * from \"mcpctl-stage/abi\";\n\n" +
			"register(\"quote\", (c: Ctx): i32 => {\n  const lines = c.input.text().split(\"\\n\");\n  " + tt.body + "\n});\n"
		if err := os.WriteFile(filepath.Join(dir, "quote", "assembly", "index.ts"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		inFolder(t, filepath.Join(dir, "quote"), module(".bin", "asc"), "assembly/index.ts", "--target", "release")
		inFolder(t, dir, bin("mcpctl"), "stage", "pack", "quote", "--module", "quote/quote.wasm", "--lang", "assemblyscript")
		for _, size := range tt.sizes {
			t.Run(fmt.Sprintf("%s, %d KB", tt.name, size>>10), func(t *testing.T) {
				line := strings.Repeat("x", 63)
				input := strings.Repeat(line+"\n", size/64-1) + line
				cmd := exec.Command(bin("mcpctl"), "stage", "run", "./quote/quote.wasm")
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
				var said strings.Builder
				cmd.Stderr = &said
				out, err := cmd.Output()
				want := strings.Repeat("> "+line+"\n", size/64)
				if err != nil || string(out) != want {
					t.Errorf("%d bytes, want %d: %v\n%s", len(out), len(want), err, said.String())
				}
			})
		}
	}
}

var snippet = regexp.MustCompile("(?s)```ts\n(.*?)```")

// Every snippet of the SDK's README is a module that the compiler takes.
func TestAssemblyScriptReadme(t *testing.T) {
	needNPM(t)
	readme, err := os.ReadFile(filepath.Join(root(), "sdk-assemblyscript", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	snippets := snippet.FindAllSubmatch(readme, -1)
	if len(snippets) < 3 {
		t.Fatalf("%d snippets, want a stage, one with an LLM and a controller", len(snippets))
	}
	for _, s := range snippets {
		dir := t.TempDir()
		sdk := filepath.Join(root(), "sdk-assemblyscript")
		if err := os.WriteFile(filepath.Join(dir, "index.ts"), s[1], 0o600); err != nil {
			t.Fatal(err)
		}
		inFolder(t, dir, module(".bin", "asc"), "index.ts", "--runtime", "incremental", "--path", sdk, "--outFile", "out.wasm", "-O")
		built, err := os.ReadFile(filepath.Join(dir, "out.wasm"))
		if err != nil || !bytes.Contains(built, []byte("mcpctl_abi_v1")) {
			t.Errorf("no module of %s: %v", s[1], err)
		}
	}
}

// The modules that make test uses are what the compiler makes of the sources, and as
// small as they were when they were written.
func TestAssemblyScriptModulesAreThoseCommitted(t *testing.T) {
	needNPM(t)
	dir := t.TempDir()
	copyTree(t, dir, "examples", "abi/tck/guests", "sdk-assemblyscript")
	tests := []struct {
		folder, manifest, committed string
		most                        int
	}{
		{"examples/stages/lead-assemblyscript", "examples/stages/lead-assemblyscript", "examples/dist/lead-assemblyscript.wasm", 6_200},
		{"examples/stages/bullet-points-assemblyscript", "examples/stages/bullet-points-assemblyscript", "examples/dist/bullet-points-assemblyscript.wasm", 18_500},
		{"examples/controllers/brake-assemblyscript", "examples/controllers/brake-assemblyscript", "examples/dist/brake-assemblyscript.wasm", 10_700},
		{"abi/tck/guests/assemblyscript", "abi/tck/guests", "abi/tck/dist/assemblyscript.wasm", 55_500},
	}
	for _, tt := range tests {
		t.Run(filepath.Base(tt.committed), func(t *testing.T) {
			built := filepath.Join(t.TempDir(), "built.wasm")
			inFolder(t, filepath.Join(dir, tt.folder), module(".bin", "asc"), "assembly/index.ts", "--target", "release", "--outFile", built)
			inFolder(t, dir, bin("mcpctl"), "stage", "pack", tt.manifest, "--module", built, "--lang", "assemblyscript")
			got, err := os.ReadFile(built)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(root(), tt.committed))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is %d bytes, what is built %d and differs: build and pack it again", tt.committed, len(want), len(got))
			}
			if len(got) > tt.most {
				t.Errorf("%d bytes, limit %d: what is linked that nobody calls?", len(got), tt.most)
			}
		})
	}
}

// What the test host finds is what RE2 finds, or it says that it cannot tell.
func TestAssemblyScriptPatterns(t *testing.T) {
	needNPM(t)
	type question struct {
		Pattern string `json:"pattern"`
		Flags   int    `json:"flags"`
		Text    string `json:"text"`
	}
	patterns := []string{
		"", "a", "a*", "a*?", "a+b?", "^", "$", "^a", "b$", "(?m)^.", "(?i)ä", "(?s)a.b", ".", "..", "[a-c]+", "[^a-c\\n]+", "[]a]", "[a\\]b]", "\\d+", "\\D+",
		"\\w+", "\\W+", "\\s+", "\\S+", "[\\s,]+", "\\bä", "\\bb", "\\Bb", "a|ab", "ab|a", "(a)(b)", "(?:ab)+", "(?P<x>a)b", "a{2}", "a{1,2}", "a{,2}", "a{", "{", "}", "]", "x{2,1}", "a{1001}",
		"a**", "a++", "(", ")", "[", "\\", "\\1", "(?=a)", "(?<!a)b", "\\x41", "\\x{1F600}", "\\pL+", "\\p{Lu}", "\\PL", "\\p{Greek}", "[[:alpha:]]+", "[[:^alpha:]]", "[[:nope:]]", "\\Qa.b\\E", "\\Aa", "b\\z", "\\Z", "\\-", "a/b", "é+", "😀.", "[😀é]", "\\t|\\n", "\\a", "(?i:A)b", "a(?i)B", "(?U)a+", "\\/", "\\_", "[a-\\d]", "[\\w-]+", "&&", "[a&&b]", "-", "#", " ",
	}
	texts := []string{"", "a", "ab", "aab\nab\r\nb a", "Ää ä,b\tc", "a.b 12 a\u2028b\u00a0\v", "é😀a😀", "A{2}{,2}[x]", "\nb\n"}
	var questions []question
	for _, p := range patterns {
		for _, text := range texts {
			for _, flags := range []int{0, 1, 2, 4, 7, 8, 9} {
				questions = append(questions, question{p, flags, text})
			}
		}
	}
	asked, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node(), "e2e/node/grep.mjs")
	cmd.Dir, cmd.Stdin = root(), bytes.NewReader(asked)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var answers []json.RawMessage
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions: %v", len(answers), len(questions), err)
	}
	unsure := map[string]bool{}
	for i, q := range questions {
		switch got, want := string(answers[i]), foundByRE2(q.Pattern, q.Flags, q.Text); {
		case got == `"unsure"`:
			unsure[q.Pattern] = true
		case got != want:
			t.Errorf("pattern %q, flags %d, in %q: %s, want %s", q.Pattern, q.Flags, q.Text, got, want)
		}
	}
	if len(unsure) > len(patterns)/6 {
		t.Errorf("unsure of %d of %d patterns: %v", len(unsure), len(patterns), unsure)
	}
}

// foundByRE2 is what buf_grep finds.
func foundByRE2(pattern string, flags int, text string) string {
	if flags&8 != 0 {
		pattern = regexp.QuoteMeta(pattern)
	}
	modes := ""
	for i, mode := range []string{"i", "m", "s"} {
		if flags&(1<<i) != 0 {
			modes += mode
		}
	}
	if modes != "" {
		pattern = "(?" + modes + ")" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return `"refused"`
	}
	found := re.FindAllStringIndex(text, -1)
	pairs := make([]string, len(found))
	for i, m := range found {
		pairs[i] = fmt.Sprintf("[%d,%d]", m[0], m[1])
	}
	return "[" + strings.Join(pairs, ",") + "]"
}
