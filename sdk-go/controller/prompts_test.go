package controller

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// promptJSON is a prompt as encoding/json reads it.
type promptJSON struct {
	Name       string   `json:"name"`
	Project    string   `json:"project"`
	Priority   int      `json:"priority"`
	Summary    string   `json:"summary"`
	Chapters   []string `json:"chapters"`
	Bytes      int      `json:"bytes"`
	Hash       string   `json:"hash"`
	Link       string   `json:"link"`
	LinkStatus string   `json:"linkStatus"`
	Ref        string   `json:"ref"`
}

func readPrompts(list string) []Prompt {
	var all []Prompt
	eachPrompt(list, func(p Prompt) bool { all = append(all, p); return true })
	return all
}

// A list of prompts reads as encoding/json reads it, whatever order the keys have
// and whatever other keys there are.
func TestPromptsReadAsEncodingJSON(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := randomPrompts(dice)
		var want []promptJSON
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := readPrompts(text)
		if len(got) != len(want) {
			t.Fatalf("%s: %d prompts, want %d", text, len(got), len(want))
		}
		for i, w := range want {
			if len(w.Chapters) == 0 {
				w.Chapters = got[i].Chapters
			}
			if !reflect.DeepEqual(got[i], Prompt(w)) {
				t.Fatalf("%s\n%d: %+v\nwant %+v", text, i, got[i], w)
			}
		}
	}
}

func randomPrompts(dice *rand.Rand) string {
	var b strings.Builder
	b.WriteString(blanks(dice) + "[")
	for i := range dice.IntN(4) {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(blanks(dice) + "{")
		keys := []string{"name", "project", "priority", "summary", "chapters", "bytes", "hash", "link", "linkStatus", "ref", "later", "sum\\u006dary"}
		dice.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for i, key := range keys[:dice.IntN(len(keys)+1)] {
			if i > 0 {
				b.WriteString(blanks(dice) + ",")
			}
			fmt.Fprintf(&b, `%s"%s"%s:%s%s`, blanks(dice), key, blanks(dice), blanks(dice), randomValue(dice, key))
		}
		b.WriteString(blanks(dice) + "}" + blanks(dice))
	}
	b.WriteString("]" + blanks(dice))
	return b.String()
}

func randomValue(dice *rand.Rand, key string) string {
	if dice.IntN(12) == 0 {
		return "null"
	}
	switch key {
	case "priority", "bytes":
		return fmt.Sprint(dice.IntN(2_000_000_000) - 1_000_000_000)
	case "chapters":
		var list []string
		for range dice.IntN(4) {
			list = append(list, randomText(dice))
		}
		return "[" + strings.Join(list, blanks(dice)+","+blanks(dice)) + "]"
	case "later":
		values := []string{`{}`, `[]`, `{"a":[1,{"b":"]}"}],"name":"no"}`, `-1.5e+3`, `true`, `"x\"y"`, `[[[["deep"]]]]`}
		return values[dice.IntN(len(values))]
	}
	return randomText(dice)
}

func randomText(dice *rand.Rand) string {
	pieces := []string{"a", "gate", " ", "é", "日本", "😀", `\"`, `\\`, `\/`, `\n`, `\t`, `\b`, `\f`, `\r`, `\u00e9`, `\uD83D\uDE00`, `\ud83d`, `\ude00x`, `\ud83d\u0041`, `\ud83d\ud83d\ude00`, "{", "]", ","}
	text := ""
	for range dice.IntN(6) {
		text += pieces[dice.IntN(len(pieces))]
	}
	return `"` + text + `"`
}

func blanks(dice *rand.Rand) string {
	return []string{"", "", "", " ", "\n", "\t\r\n "}[dice.IntN(6)]
}

// What is not a list of prompts gives those in front of the fault and ends.
func TestBrokenPromptsEnd(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `{}`: 0, `[`: 0, `[1]`: 0, `[{"name":"a"}`: 1, `[{"name":"a"},`: 1, `[{"name":"a"},{"name"`: 1, `[{"name":"a"},{"name":"b`: 1,
		`[{"name":"\x"}]`: 0, `[{"name":"\u12"}]`: 0, `[{"name":"\ud83d\u"}]`: 0, `[{"later":[}]`: 0, `[{"priority":1.5}]`: 1, `[{"priority":"5"}]`: 1, `[{"name":7}]`: 1,
		`[{"priority":99999999999999999999}]`: 1, `[{"name":,}]`: 0,
	} {
		if got := len(readPrompts(text)); got != want {
			t.Errorf("%s: %d prompts, want %d", text, got, want)
		}
	}
}

func TestPromptsStopWhenAsked(t *testing.T) {
	n := 0
	eachPrompt(`[{},{},{}]`, func(Prompt) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("%d prompts after the second was refused, want 2", n)
	}
}

// No text makes the reader fail, and valid JSON reads as encoding/json reads it.
func FuzzEachPrompt(f *testing.F) {
	dice := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add(randomPrompts(dice))
	}
	f.Add(`[{"name":"\ud83d`)
	f.Add(`[{"a":[[[`)
	f.Fuzz(func(t *testing.T, text string) {
		got := readPrompts(text)
		var elements []map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &elements) != nil {
			return
		}
		if len(got) != len(elements) {
			for _, e := range elements {
				if e == nil {
					return // null is no prompt
				}
			}
			t.Fatalf("%q: %d prompts, want %d", text, len(got), len(elements))
		}
		for i, e := range elements {
			var name string
			if json.Unmarshal(e["name"], &name) == nil && e["name"] != nil && string(e["name"]) != "null" && name != strings.ToValidUTF8(got[i].Name, "\ufffd") && !strings.Contains(name, "\ufffd") {
				t.Fatalf("%q: prompt %d is named %q, want %q", text, i, got[i].Name, name)
			}
		}
	})
}

// Beside what an escape needs, only the list of chapters is allocated.
func TestPromptsAreNotCopied(t *testing.T) {
	text := `[{"name":"a","project":"home","priority":5,"summary":"what it says","chapters":[],"bytes":120,"hash":"00ff","link":"","linkStatus":"","ref":""}]`
	if n := testing.AllocsPerRun(100, func() { eachPrompt(text, func(Prompt) bool { return true }) }); n > 2 {
		t.Errorf("%v allocations for a prompt, want none but those of the reader", n)
	}
}

func BenchmarkEachPrompt(b *testing.B) {
	text := manyPrompts(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		eachPrompt(text, func(Prompt) bool { return true })
	}
}

func manyPrompts(n int) string {
	list := make([]promptJSON, n)
	for i := range list {
		list[i] = promptJSON{Name: fmt.Sprintf("prompt-%d", i), Project: "home", Priority: 5, Summary: "How the lights of the living room are set, and by whom.",
			Chapters: []string{"Setup", "Scenes"}, Bytes: 1200 + i, Hash: "9f86d081884c7d65"}
	}
	text, _ := json.Marshal(list)
	return string(text)
}
