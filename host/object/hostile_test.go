package object

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// laughs returns a tree of aliases with 9^9 values.
func laughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	return b.String()
}

// TestHostileYAML checks that a text which would cost much time or memory is rejected
// early. The target is 100 ms and 32 MiB of heap. The test allows ten times the time,
// because the machine may be busy, and twice the memory, because garbage is counted.
func TestHostileYAML(t *testing.T) {
	var keys strings.Builder
	for i := range 1 << 20 {
		fmt.Fprintf(&keys, "k%d:\n", i)
	}
	model := "kind: ProxyModel\nmetadata: {name: m}\nspec:\n  stages:\n    - type: x\n      config:\n"
	for name, c := range map[string]struct{ text, want string }{
		"billion laughs":         {laughs(), "aliases counted in full"},
		"laughs in a config":     {model + "        " + strings.ReplaceAll(laughs(), "\n", "\n        "), "aliases counted in full"},
		"anchor that holds self": {"a: &a [*a]\n", "alias *** is inside its own anchor"},
		"anchor cycle of two":    {"a: &a {b: &b {c: *a, d: *b}}\n", "is inside its own anchor"},
		"a million keys":         {keys.String(), "larger than the limit of 1048576"},
		"keys up to the size":    {keys.String()[:strictyaml.MaxFileBytes], "more than 8000 values"},
		"equal keys":             {strings.Repeat("a:\n", strictyaml.MaxFileBytes/3), "more than 8000 values"},
		"long flow list":         {"a: [" + strings.Repeat("1,", strictyaml.MaxFileBytes/2-10) + "]", "more than 8000 values"},
		"open brackets":          {strings.Repeat("[", strictyaml.MaxFileBytes), "nested deeper than 64"},
		"open braces":            {strings.Repeat("{a: ", strictyaml.MaxFileBytes/4), "nested deeper than 64"},
		"brackets over lines":    {strings.Repeat("[\n", strictyaml.MaxFileBytes/2), "nested deeper than 64"},
		"dashes":                 {strings.Repeat("- ", strictyaml.MaxFileBytes/2), "nested deeper than 64"},
		"dashes by indent":       {ladder("-", 1400), "nested deeper than 64"},
		"keys by indent":         {ladder("a:", 1400), "nested deeper than 64"},
		"tags":                   {strings.Repeat("!a ", strictyaml.MaxFileBytes/3), "more than 8000 values"},
		"anchors":                {strings.Repeat("&a ", strictyaml.MaxFileBytes/3), "more than 8000 values"},
		"question marks":         {strings.Repeat("? ", strictyaml.MaxFileBytes/2), "nested deeper than 64"},
		"documents":              {strings.Repeat("---\n", strictyaml.MaxFileBytes/4), "documents, limit 1000"},
		"unclosed quote":         {"a: \"" + strings.Repeat("x\\n", 300000), "end character of double-quoted"},
		"only errors":            {"kind: Server\nmetadata: {name: a}\nspec:\n" + unknownFields(2600), "only the first 100 errors are reported"},
		"errors in documents":    {strings.Repeat("kind: Sever\nx: [\n---\n", 900), "only the first 100 errors are reported"},
		"deep but short":         {strings.Repeat("a: [", 70), "nested deeper than 64"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, _, err := Decode("f.yaml", []byte(c.text))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %.300v, want it to contain: %s", err, c.want)
			}
			if took > 10*time.Second {
				t.Errorf("refused after %v", took)
			}
			if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 64<<20 {
				t.Errorf("heap grew by %d bytes", grown)
			}
			t.Logf("%d bytes refused after %v", len(c.text), took)
		})
	}
}

func unknownFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  timeou%d: 1\n", i)
	}
	return b.String()
}

func ladder(step string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < strictyaml.MaxFileBytes-2*n && i < n; i++ {
		b.WriteString(strings.Repeat(" ", i) + step + "\n")
	}
	return b.String()
}

// TestBudgetLetsTextsPass checks that long texts are not counted as many nodes.
func TestBudgetLetsTextsPass(t *testing.T) {
	body := strings.Repeat("- item [with {brackets: and, commas}] \"quotes\n", 15000)
	for name, text := range map[string]string{
		"literal of a key":       "kind: Prompt\nmetadata: {name: a, project: p}\nspec:\n  content: |\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n  priority: 3\n",
		"literal with indicator": "kind: Prompt\nmetadata: {name: a, project: p}\nspec:\n  content: |2-\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n",
		"folded":                 "kind: Prompt\nmetadata: {name: a, project: p}\nspec:\n  content: > # why\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n",
		"double quoted":          "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: \"" + strings.Repeat(`a, [b: {c}] \" `, 20000) + "\"}\n",
		"single quoted":          "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: '" + strings.Repeat(`a, [b: {c}] '' `, 20000) + "'}\n",
		"plain over lines":       "kind: Prompt\nmetadata: {name: a, project: p}\nspec:\n  content: it\n" + strings.Repeat("    's - fine [really\n", 9000),
		"comments":               strings.Repeat("# a: [b, {c: d}]\n", 20000) + "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: x}\n",
		"brackets in plain text": "kind: Prompt\nmetadata: {name: a, project: p}\nspec:\n  content: a " + strings.Repeat("[", 200) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Decode("f.yaml", []byte(text)); err != nil {
				t.Errorf("refused: %.400v", err)
			}
		})
	}
}

// FuzzDecode checks that no input panics or takes long, and that every accepted one
// is read back unchanged after printing.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		laughs(), "a: &a [*a]", "kind: Server\nmetadata: {name: a}\nspec: {command: [x, \"${Y}\"]}\n",
		"kind: Project\nmetadata: {name: home}\nspec:\n  servers: [a]\n  proxyModelOverrides: {toolResults: {\"*/x\": y}}\n",
		"kind: ProxyModel\nmetadata: {name: m}\nspec:\n  stages:\n  - type: a\n    config: {x: 1.50, y: [null, true], z: |\n      text\n}\n",
		"kind: Prompt\nmetadata: {name: a, project: b}\nspec:\n  content: |\n    text\n     more\n",
		"{\"kind\": \"PromptRequest\", \"metadata\": {\"name\": \"a\", \"project\": \"b\"}, \"spec\": {\"content\": \"\\u00e9\"}}",
		"? a\n: b\n", "- - - -", "%YAML 1.2\n---\n", "a: |\n", "a: >-\n\n x\n", "!!binary |", "<<: *a", "\ufeffkind: Server",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		objects, _, err := Decode("fuzz.yaml", data)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		if err != nil {
			if err.Error() == "" {
				t.Error("error without text")
			}
			return
		}
		for _, o := range objects {
			checkRoundTrip(t, o)
		}
	})
}
