package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Codes as ints, for tables of arguments and results.
const (
	notFound    = int32(abi.CodeNotFound)
	limit       = int32(abi.CodeLimit)
	unavailable = int32(abi.CodeUnavailable)
	denied      = int32(abi.CodeDenied)
	timeout     = int32(abi.CodeTimeout)
	upstream    = int32(abi.CodeUpstream)
	unsupported = int32(abi.CodeUnsupported)
)

// step is one call of an import and what it must answer.
type step struct {
	name string
	args []any
	want int32
}

// Each case is a guest that makes its calls in order. Texts that calls point at
// stand in memory from 0 on.
var importCases = []struct {
	rule   string
	input  string
	memory string
	steps  []step
}{
	{"buf_len counts bytes", "héllo", "", []step{{"buf_len", []any{0}, 6}}},
	{"buffers that a stage does not have are empty", "x", "", []step{
		{"buf_len", []any{abi.BufCall}, 0}, {"buf_len", []any{8}, 0}, {"buf_len", []any{15}, 0}}},
	{"a handle that does not exist is BAD_ARG", "x", "", []step{
		{"buf_len", []any{16}, badArg}, {"buf_len", []any{-1}, badArg}, {"buf_read", []any{99, 0, 0, 1}, badArg}}},
	{"buf_read gives what is left, 0 at the end", "0123456789", "", []step{
		{"buf_read", []any{0, 0, 100, 4}, 4}, {"buf_read", []any{0, 8, 100, 4}, 2},
		{"buf_read", []any{0, 10, 100, 4}, 0}, {"buf_read", []any{0, 0, 100, 0}, 0}}},
	{"buf_read beyond the end is BAD_ARG", "0123456789", "", []step{
		{"buf_read", []any{0, 11, 100, 4}, badArg}, {"buf_read", []any{0, -1, 100, 4}, badArg}}},
	{"buf_find finds from off on", "abcabc", "bc", []step{
		{"buf_find", []any{0, 0, 0, 2}, 1}, {"buf_find", []any{0, 2, 0, 2}, 4}, {"buf_find", []any{0, 5, 0, 2}, notFound}}},
	{"buf_find wants 1 to 4,096 bytes", "abc", "", []step{
		{"buf_find", []any{0, 0, 0, 0}, badArg}, {"buf_find", []any{0, 0, 0, 4097}, badArg},
		{"buf_find", []any{0, 0, 0, 4096}, notFound}, {"buf_find", []any{0, 4, 0, 1}, badArg}}},
	{"buf_lines fills starts, the first is off", "a\nbb\n\nc", "", []step{
		{"buf_lines", []any{0, 0, 100, 64}, 4}, {"buf_lines", []any{0, 0, 100, 8}, 2},
		{"buf_lines", []any{0, 7, 100, 64}, 0}, {"buf_lines", []any{0, 8, 100, 64}, badArg}}},
	{"buf_grep counts matches, leftmost first", "one two three", `\w+`, []step{
		{"buf_grep", []any{0, 0, 0, 3, 0, 100, 64}, 3}, {"buf_grep", []any{0, 4, 0, 3, 0, 100, 64}, 2},
		{"buf_grep", []any{0, 0, 0, 3, 0, 100, 15}, 1}, {"buf_grep", []any{0, 0, 0, 3, 0, 100, 0}, 0}}},
	{"buf_grep flags: ignore case, lines, dot all, literal", "A\nb.b", "a$b.b^B.b", []step{
		{"buf_grep", []any{0, 0, 0, 1, abi.GrepIgnoreCase, 100, 64}, 1}, {"buf_grep", []any{0, 0, 0, 1, 0, 100, 64}, 0},
		{"buf_grep", []any{0, 0, 5, 4, abi.GrepLines | abi.GrepIgnoreCase, 100, 64}, 1},
		{"buf_grep", []any{0, 0, 5, 4, abi.GrepIgnoreCase, 100, 64}, 0},
		{"buf_grep", []any{0, 0, 2, 3, abi.GrepLiteral, 100, 64}, 1}, {"buf_grep", []any{0, 0, 0, 1, 16, 100, 64}, badArg}}},
	{"buf_grep refuses what RE2 does not have, and too much of it", "aaa", `(\1(a{900}){900}(x{500}|y{500})(?:a{999}){1}`, []step{
		{"buf_grep", []any{0, 0, 0, 1, 0, 100, 64}, badArg}, {"buf_grep", []any{0, 0, 1, 2, 0, 100, 64}, badArg},
		{"buf_grep", []any{0, 0, 3, 13, 0, 100, 64}, badArg}, {"buf_grep", []any{0, 0, 0, 4097, 0, 100, 64}, badArg}}},
	{"buf_hash and buf_tokens of a span", "hello", "", []step{
		{"buf_hash", []any{0, 0, -1, 100}, 32}, {"buf_hash", []any{0, 3, 3, 100}, badArg},
		{"buf_tokens", []any{0, 0, -1}, 1}, {"buf_tokens", []any{0, 0, -2}, badArg}, {"buf_tokens", []any{0, 6, 0}, badArg}}},
	{"buf_put, buf_view, buf_free; a number is not used again", "hello", "abc", []step{
		{"buf_put", []any{0, 3}, 16}, {"buf_view", []any{0, 1, 3}, 17}, {"buf_view", []any{17, 1, -1}, 18},
		{"buf_len", []any{18}, 2}, {"buf_free", []any{17}, 0}, {"buf_len", []any{17}, badArg},
		{"buf_len", []any{18}, 2}, {"buf_put", []any{0, 1}, 19}, {"buf_free", []any{17}, badArg},
		{"buf_free", []any{0}, badArg}, {"buf_view", []any{0, 1, 9}, badArg}, {"buf_view", []any{20, 0, 0}, badArg}}},
	{"buf_put: 16 MiB in sum", "", "", []step{{"buf_put", []any{0, 64 << 10}, 16}}},

	{"an offset and a length never overflow", "hello", "l", []step{
		{"buf_view", []any{0, 1<<31 - 1, 1<<31 - 1}, badArg}, {"buf_view", []any{0, 1, 1<<31 - 1}, badArg}, {"buf_view", []any{0, -1 << 31, -1}, badArg},
		{"out_span", []any{0, 1<<31 - 1, 1<<31 - 1}, badArg}, {"out_span", []any{0, 2, -2}, badArg}, {"out_span", []any{0, -1, 1}, badArg},
		{"buf_tokens", []any{0, 1<<31 - 1, 1}, badArg}, {"buf_hash", []any{0, 1, 1<<31 - 1, 100}, badArg},
		{"buf_find", []any{0, -1, 0, 1}, badArg}, {"buf_find", []any{0, 1<<31 - 1, 0, 1}, badArg},
		{"buf_lines", []any{0, -1, 100, 8}, badArg}, {"buf_grep", []any{0, -1, 0, 1, 0, 100, 8}, badArg}, {"buf_grep", []any{0, 6, 0, 1, 0, 100, 8}, badArg},
		{"json_text", []any{0, -1, -1}, badArg}, {"json_text", []any{0, 0, -1}, badArg}, {"json_text", []any{0, 1<<31 - 1, 1<<31 - 1}, badArg},
		{"section_add", []any{-1, 1, 0, 1<<31 - 1, 0, 0}, badArg}, {"section_add", []any{-1, 1, -1 << 31, 1, 0, 0}, badArg},
		{"section_add", []any{1<<31 - 1, 1, 0, 1, 0, 0}, badArg}, {"section_title", []any{0, 0, 1<<31 - 1, 1<<31 - 1}, badArg}}},
	{"-1 means to the end, from the end nothing", "hello", "", []step{
		{"buf_view", []any{0, 5, -1}, 16}, {"buf_len", []any{16}, 0}, {"buf_view", []any{0, 5, 0}, 17}, {"buf_view", []any{16, 0, -1}, 18},
		{"buf_hash", []any{16, 0, -1, 100}, 32}, {"buf_tokens", []any{0, 5, -1}, 0}, {"out_span", []any{0, 5, -1}, 0}, {"out_span", []any{18, 0, 0}, 0},
		{"buf_view", []any{0, 6, -1}, badArg}, {"buf_lines", []any{0, 5, 100, 8}, 0}, {"buf_find", []any{0, 5, 0, 1}, notFound}}},
	{"an empty content is content", "", "x", []step{
		{"buf_len", []any{0}, 0}, {"buf_read", []any{0, 0, 100, 8}, 0}, {"buf_find", []any{0, 0, 0, 1}, notFound}, {"buf_lines", []any{0, 0, 100, 8}, 0},
		{"buf_grep", []any{0, 0, 0, 1, 0, 100, 8}, 0}, {"buf_grep", []any{0, 0, 0, 0, 0, 100, 8}, 1}, {"json_kind", []any{0, 0, 0}, badArg},
		{"out_span", []any{0, 0, -1}, 0}, {"section_add", []any{-1, 1, 0, 0, 0, 0}, badArg}}},
	{"memory may be named up to its end", "x", "", []step{
		{"buf_read", []any{0, 0, 3 << 16, 0}, 0}, {"buf_read", []any{0, 0, 3<<16 - 1, 1}, 1}, {"out_write", []any{3 << 16, 0}, 0}}},

	{"json_kind of each kind", `{"n":null,"b":true,"i":1,"s":"x","a":[],"o":{}}`, "/n/b/i/s/a/o/x", []step{
		{"json_kind", []any{0, 0, 0}, 5}, {"json_kind", []any{0, 0, 2}, 0}, {"json_kind", []any{0, 2, 2}, 1},
		{"json_kind", []any{0, 4, 2}, 2}, {"json_kind", []any{0, 6, 2}, 3}, {"json_kind", []any{0, 8, 2}, 4},
		{"json_kind", []any{0, 10, 2}, 5}, {"json_kind", []any{0, 12, 2}, notFound}}},
	{"a pointer takes the first of duplicates", `{"a":1,"a":[]}`, "/a", []step{{"json_kind", []any{0, 0, 2}, 2}}},
	{"a pointer may hold escapes, and so may a key", `{"a/b":1,"m~n":2,"\u0041":3}`, "/a~1b/m~0n/A/a~2", []step{
		{"json_kind", []any{0, 0, 5}, 2}, {"json_kind", []any{0, 5, 5}, 2}, {"json_kind", []any{0, 10, 2}, 2},
		{"json_kind", []any{0, 12, 4}, badArg}, {"json_kind", []any{0, 1, 2}, badArg}}},
	{"positions in an array have one spelling", `[10,[20]]`, "/1/0/01/-/2/1/0/0", []step{
		{"json_kind", []any{0, 0, 2}, 4}, {"json_kind", []any{0, 0, 4}, 2}, {"json_kind", []any{0, 4, 3}, notFound},
		{"json_kind", []any{0, 7, 2}, notFound}, {"json_kind", []any{0, 9, 2}, notFound}, {"json_kind", []any{0, 11, 6}, notFound}}},
	{"json functions want one JSON value", `{"a":1} x`, "", []step{
		{"json_kind", []any{0, 0, 0}, badArg}, {"json_get", []any{0, 0, 0}, badArg}, {"json_each", []any{0, 0, 0, 0, 0, 0}, badArg}}},
	{"json_get decodes a string, gives other values as they stand", `{"s":"a\n","o":{ "x" : 1e2 }}`, "/s/o/x", []step{
		{"json_get", []any{0, 0, 2}, 16}, {"buf_len", []any{16}, 2}, {"json_get", []any{0, 2, 2}, 17}, {"buf_len", []any{17}, 13},
		{"json_get", []any{0, 2, 4}, 18}, {"buf_len", []any{18}, 3}, {"json_get", []any{0, 4, 2}, notFound}}},
	{"json_get of half a surrogate is no text", `["\ud800"]`, "/0", []step{{"json_get", []any{0, 0, 2}, badArg}}},
	{"json_span writes the exact text", `[ {"a": 1} ]`, "/0", []step{
		{"json_span", []any{0, 0, 2, 100}, 5}, {"json_span", []any{0, 0, 1, 100}, notFound}, {"json_span", []any{0, 1, 1, 100}, badArg}}},
	{"json_text decodes the literal at a span", `["ab",7]`, "", []step{
		{"json_text", []any{0, 1, 5}, 16}, {"buf_len", []any{16}, 2}, {"json_text", []any{0, 6, 7}, badArg},
		{"json_text", []any{0, 1, 4}, badArg}, {"json_text", []any{0, 5, 1}, badArg}, {"json_text", []any{0, 1, 99}, badArg}}},
	{"json_each gives the total, however many it writes", `{"k":[1,2,3],"k":4}`, "/k", []step{
		{"json_each", []any{0, 0, 0, 0, 100, 64}, 2}, {"json_each", []any{0, 0, 2, 0, 100, 0}, 3},
		{"json_each", []any{0, 0, 2, 1, 100, 16}, 3}, {"json_each", []any{0, 0, 2, 7, 100, 64}, 3},
		{"json_each", []any{0, 0, 2, -1, 100, 64}, badArg}, {"json_each", []any{0, 0, 1, 0, 100, 64}, notFound}}},
	{"json_each of a scalar is BAD_ARG", `7`, "", []step{{"json_each", []any{0, 0, 0, 0, 100, 64}, badArg}}},
	{"json_i64 and json_f64", `[9007199254740993,1.5,true,"7",1e999,null]`, "/0/1/2/3/4/5/6", []step{
		{"json_i64", []any{0, 0, 2, 100}, 0}, {"json_i64", []any{0, 2, 2, 100}, badArg}, {"json_i64", []any{0, 4, 2, 100}, 0},
		{"json_i64", []any{0, 6, 2, 100}, badArg}, {"json_i64", []any{0, 12, 2, 100}, notFound},
		{"json_f64", []any{0, 2, 2, 100}, 0}, {"json_f64", []any{0, 4, 2, 100}, 0}, {"json_f64", []any{0, 8, 2, 100}, badArg},
		{"json_f64", []any{0, 10, 2, 100}, badArg}, {"json_f64", []any{0, 12, 2, 100}, notFound}}},

	{"out_span checks its span", "hello", "", []step{
		{"out_span", []any{0, 1, 3}, 0}, {"out_span", []any{0, 1, 9}, badArg}, {"out_span", []any{44, 0, 0}, badArg}}},
	{"out_index wants a section, or -1", "hello", "", []step{
		{"out_index", []any{-1, 0, 0}, 0}, {"out_index", []any{0, 0, 0}, notFound}, {"out_index", []any{-1, -1, 0}, badArg}}},
	{"section_add: parents, spans, order", "0123456789", "title", []step{
		{"section_add", []any{-1, 1, 0, 4, 0, 5}, 0}, {"section_add", []any{-1, 1, 4, 10, 0, 5}, 1},
		{"section_add", []any{-1, 1, 3, 10, 0, 5}, badArg}, {"section_add", []any{9, 1, 0, 1, 0, 0}, badArg},
		{"section_add", []any{0, 1, 2, 5, 0, 0}, badArg}, {"section_add", []any{0, 1, 2, 2, 0, 0}, badArg},
		{"section_add", []any{0, 1, 3, 2, 0, 0}, badArg}, {"section_add", []any{0, 1, -1, 2, 0, 0}, badArg},
		{"section_add", []any{0, 1, 2, 11, 0, 0}, badArg}, {"section_add", []any{0, 1, 1, 4, 0, 0}, 2},
		{"section_add", []any{-1, 77, 0, 1, 0, 0}, badArg}, {"section_add", []any{-2, 1, 0, 1, 0, 0}, badArg}}},
	{"section_add: group, exact through buffer 0, derived", "0123456789", "own text", []step{
		{"section_add", []any{-1, -1, 0, 0, 0, 3}, 0}, {"section_add", []any{-1, -1, 0, 1, 0, 3}, badArg},
		{"section_add", []any{0, 0, 5, 9, 0, 0}, 1}, {"section_add", []any{0, 0, 0, 5, 0, 0}, 2},
		{"buf_put", []any{0, 8}, 16}, {"section_add", []any{-1, 16, 4, 8, 0, 0}, 3}, {"section_add", []any{3, 1, 9, 10, 0, 0}, 4}}},
	{"section_add: a span does not cut a character", "aé", "\xff", []step{
		{"section_add", []any{-1, 1, 0, 2, 0, 0}, badArg}, {"section_add", []any{-1, 1, 2, 3, 0, 0}, badArg},
		{"section_add", []any{-1, 1, 0, 3, 0, 1}, badArg}, {"section_add", []any{-1, 1, 0, 3, 0, 0}, 0}}},
	{"section_add: decoded stands below the section of its string", `{"a":"x\ny","b":"z"}`, "/a/b", []step{
		{"json_get", []any{0, 0, 2}, 16}, {"section_add", []any{-1, 16, 0, 1, 0, 0}, badArg},
		{"section_add", []any{-1, 1, 5, 11, 0, 0}, 0}, {"section_add", []any{0, 16, 0, 1, 0, 0}, 1},
		{"section_add", []any{0, 16, 2, 3, 0, 0}, 2}, {"json_get", []any{0, 2, 2}, 17}, {"section_add", []any{0, 17, 0, 1, 0, 0}, badArg},
		{"section_add", []any{1, 17, 0, 1, 0, 0}, badArg}, {"buf_view", []any{16, 1, 2}, 18}, {"section_add", []any{1, 18, 0, 1, 0, 0}, badArg}}},
	{"section_add: a group may stand between a string and its parts", `{"a":"x\ny","b":"z"}`, "/a/b", []step{
		{"json_get", []any{0, 0, 2}, 16}, {"section_add", []any{-1, 1, 5, 11, 0, 0}, 0}, {"section_add", []any{0, -1, 0, 0, 0, 0}, 1},
		{"section_add", []any{1, 16, 2, 3, 0, 0}, 2}, {"section_add", []any{1, 16, 0, 1, 0, 0}, 3},
		{"json_get", []any{0, 2, 2}, 17}, {"section_add", []any{1, 17, 0, 1, 0, 0}, badArg},
		{"section_add", []any{-1, -1, 0, 0, 0, 0}, 4}, {"section_add", []any{4, 16, 0, 1, 0, 0}, badArg}}},
	{"section_title, section_summary, section_id, section_text", "0123456789", "name", []step{
		{"section_add", []any{-1, 1, 0, 4, 0, 0}, 0}, {"section_title", []any{0, 0, 2, 3}, 0}, {"section_title", []any{1, 0, 0, 1}, notFound},
		{"section_title", []any{0, 0, 2, 33}, badArg}, {"section_summary", []any{0, 0, 0, -1}, 0}, {"section_summary", []any{-1, 0, 0, -1}, notFound},
		{"section_summary", []any{0, 0, 11, 0}, badArg},
		{"section_text", []any{0, abi.SectionTextID}, 16}, {"buf_len", []any{16}, 0}, {"section_id", []any{0, 0, 4}, 0},
		{"section_text", []any{0, abi.SectionTextID}, 17}, {"buf_len", []any{17}, 4}, {"section_id", []any{0, 0, 0}, badArg},
		{"section_id", []any{3, 0, 4}, notFound}, {"section_text", []any{0, abi.SectionTextTitle}, 18}, {"buf_len", []any{18}, 3},
		{"section_text", []any{0, abi.SectionTextSummary}, 19}, {"buf_len", []any{19}, 10},
		{"section_text", []any{0, abi.SectionTextBody}, 20}, {"buf_len", []any{20}, 4},
		{"section_text", []any{0, 4}, badArg}, {"section_text", []any{7, 0}, notFound}}},
	{"buffer 5 has 32 bytes for each section, those of this call too", "0123456789", "", []step{
		{"buf_len", []any{5}, 0}, {"section_add", []any{-1, 1, 0, 4, 0, 0}, 0}, {"buf_len", []any{5}, 32},
		{"section_add", []any{0, 1, 1, 2, 0, 0}, 1}, {"buf_len", []any{5}, 64}}},

	{"meta_set wants a key and text", "", "type\xff", []step{
		{"meta_set", []any{0, 4, 0, 2}, 0}, {"meta_set", []any{0, 0, 0, 2}, badArg}, {"meta_set", []any{0, 4, 4, 1}, badArg},
		{"meta_set", []any{0, 5, 0, 2}, badArg}, {"meta_set", []any{0, 4, 100, 16 << 10}, limit}}},
	{"cache_get gives what cache_set kept", "", "keyvalue", []step{
		{"cache_get", []any{0, 3}, notFound}, {"cache_set", []any{0, 3, 3, 5}, 0}, {"cache_get", []any{0, 3}, 16}, {"buf_len", []any{16}, 5},
		{"cache_get", []any{0, 1025}, notFound}, {"cache_set", []any{0, 1025, 3, 5}, 0}, {"cache_get", []any{0, 1025}, 17},
		{"cache_get", []any{0, 1026}, notFound}}},
	{"log takes four levels", "", "line", []step{
		{"log", []any{0, 0, 4}, 0}, {"log", []any{3, 0, 4}, 0}, {"log", []any{4, 0, 4}, badArg}, {"log", []any{-1, 0, 4}, badArg}}},
	{"fail always works", "", "why", []step{{"fail", []any{0, 3}, 0}}},
	{"last_error has a sentence for all codes but NOT_FOUND", "x", "", []step{
		{"last_error", []any{}, notFound}, {"cache_get", []any{0, 3}, notFound}, {"last_error", []any{}, notFound},
		{"buf_len", []any{99}, badArg}, {"last_error", []any{}, 16}, {"buf_len", []any{16}, 24},
		{"cache_get", []any{0, 3}, notFound}, {"last_error", []any{}, notFound}}},
	{"session functions are denied to a stage", "x", "", []step{
		{"state_get", []any{0, 1}, denied}, {"tools", []any{}, denied}, {"out_to", []any{0}, denied}}},
}

// covers P-016, P-026, P-027, P-031, D-002
func TestImports(t *testing.T) {
	for _, c := range importCases {
		t.Run(c.rule, func(t *testing.T) {
			s := (&script{manifest: sessionManifest, hooks: []string{abi.ExportOnClose}}).data(0, c.memory)
			for _, st := range c.steps {
				s.call(st.name, st.args...)
			}
			s.call("out_write", 0, 0)
			got := newBench(t, nil).run(t, s, content(c.input))
			if got.err != nil {
				t.Fatal(got.err)
			}
			for i, st := range c.steps {
				if got.results[i] != st.want {
					t.Errorf("%s%v = %d, want %d", st.name, st.args, got.results[i], st.want)
				}
			}
		})
	}
}

// sessionManifest lets a script import everything, in a role of kind stage.
const sessionManifest = `{"name":"script","abi":"1.0","roles":[
	{"name":"script","kind":"stage","capabilities":["cache","llm"]},
	{"name":"steer","kind":"controller","capabilities":["session"]}]}`

// limitSteps run after their limit was reached by what prepares them.
var limitSteps = []step{
	{"buf_put", []any{0, 1}, limit}, {"buf_view", []any{0, 0, 0}, limit}, {"json_get", []any{0, 0, 0}, limit},
	{"json_text", []any{0, 1, 5}, limit}, {"section_text", []any{0, 0}, limit}, {"cache_get", []any{0, 1}, limit},
	{"last_error", nil, limit},
}

func TestHandlesAliveHaveALimit(t *testing.T) {
	s := (&script{}).data(0, "k")
	s.call("section_add", -1, 1, 0, 1, 0, 0)
	s.call("cache_set", 0, 1, 0, 1)
	s.call("buf_len", 99) // something for last_error to tell
	s.repeat(abi.LimitHandles, func() { s.callOf(abi.NSCore, "buf_view", typeI32, 0, 0, 0) })
	first := s.calls
	for _, st := range limitSteps {
		s.call(st.name, st.args...)
	}
	s.call("buf_free", 16)
	s.call("buf_put", 0, 1)
	s.call("out_write", 0, 0)
	got := newBench(t, nil).run(t, s, content(`["ab"]`))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for i, st := range limitSteps {
		if got.results[first+i] != st.want {
			t.Errorf("%s = %d, want %d", st.name, got.results[first+i], st.want)
		}
	}
	if n := first + len(limitSteps) + 1; got.results[n] != abi.FirstHandle+abi.LimitHandles {
		t.Errorf("after buf_free, buf_put = %d, want a new handle", got.results[n])
	}
}

// Limits that are a figure of bytes or calls: what comes up to them works.
func TestLimitsOfOneCall(t *testing.T) {
	tests := []struct {
		rule  string
		input string
		n     int
		name  string
		args  []any
		last  int32 // result of the n-th call
		next  int32 // and of one more
	}{
		{"16 MiB in buf_put", "", 256, "buf_put", []any{0, 64 << 10}, 16 + 255, limit},
		{"1,000 lines", "", 1000, "log", []any{1, 0, 10}, 0, limit},
		{"256 KiB of log", "", 32, "log", []any{1, 0, 8192}, 0, limit},
		{"65,536 sections", "", 65536, "section_add", []any{-1, -1, 0, 0, 0, 0}, 65535, limit},
		{"8 MiB of section texts", "", 32768, "section_add", []any{-1, -1, 0, 0, 0, 256}, 32767, limit},
		{"output of 4 x input and 1 MiB", "", 16, "out_write", []any{0, 64 << 10}, 0, limit},
		{"1,024 indexes", "", 1024, "out_index", []any{-1, 0, 0}, 0, limit},
		{"the same by spans", strings.Repeat("x", 74_898), 18, "out_span", []any{0, 0, -1}, 0, limit},
	}
	for _, c := range tests {
		t.Run(c.rule, func(t *testing.T) {
			s := (&script{}).data(0, strings.Repeat("x", 10_000))
			s.call("out_write", 0, 0)
			r := ref(s.calls)
			s.repeat(c.n, func() { s.callOf(abi.NSCore, c.name, typeI32, c.args...) })
			s.call(c.name, c.args...)
			got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content(c.input))
			if got.err != nil {
				t.Fatal(got.err)
			}
			if have := got.results[r : r+2]; have[0] != c.last || have[1] != c.next {
				t.Errorf("results %v, want %d and %d", have, c.last, c.next)
			}
		})
	}
}

func TestLimitsOfSections(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("é", 5000))
	deep := ref(s.calls)
	s.call("section_add", -1, -1, 0, 0, 0, 0)
	for i := range 64 {
		s.call("section_add", i, -1, 0, 0, 0, 0) // one below the other
	}
	body := s.call("section_add", -1, 0, 0, 1<<20+2, 0, 0)
	most := s.call("section_add", -1, 0, 0, 1<<20, 0, 0)
	title := s.call("section_title", 0, 0, 0, 1001)
	summary := s.call("section_summary", 0, 0, 0, 5001)
	long := s.call("section_title", 0, 0, 0, 1000)
	longSum := s.call("section_summary", 0, 0, 0, 5000)
	s.repeat(6, func() { s.callOf(abi.NSCore, "section_add", typeI32, -1, 0, 0, 1<<20, 0, 0) })
	last := s.call("section_add", -1, 0, 0, 1<<20, 0, 0)
	for range 4 {
		s.call("section_summary", 1, 0, 0, 2000)
	}
	c := content(strings.Repeat("é", 1<<20))
	c.Original = []byte("other") // so that sections on buffer 0 are derived
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), c)
	if got.err != nil {
		t.Fatal(got.err)
	}
	want := map[ref]int32{deep + 63: 63, deep + 64: limit, body: limit, most: 64, title: badArg, summary: 0, long: 0, longSum: 0, last: limit}
	for r, w := range want {
		if r != title && got.results[r] != w {
			t.Errorf("result %d is %d, want %d", r, got.results[r], w)
		}
	}
	if first := got.out.Tree.Sections[0]; len(first.Title) != 256 || len(first.Summary) != 2048 {
		t.Errorf("title of %d bytes, summary of %d, want 256 and 2048", len(first.Title), len(first.Summary))
	}
}

func TestTextOfSectionsIsLimitedInAll(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("x", 300))
	s.repeat(32768, func() { s.callOf(abi.NSCore, "section_add", typeI32, -1, -1, 0, 0, 0, 256) })
	s.call("section_title", 0, 0, 0, 256) // same length: fits
	a := s.call("section_summary", 0, 0, 0, 1)
	b := s.call("section_id", 0, 0, 5)
	s.call("section_title", 1, 0, 0, 1) // gives 255 back
	d := s.call("section_summary", 0, 0, 0, 1)
	e := s.call("section_add", -1, -1, 0, 0, 0, 255)
	f := s.call("section_title", 1, 0, 0, 256)
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content(strings.Repeat("x", 300)))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for r, want := range map[ref]int32{a: limit, b: limit, d: 0, e: limit, f: limit} {
		if got.results[r] != want {
			t.Errorf("result %d is %d, want %d", r, got.results[r], want)
		}
	}
}

func TestMetadataHasALimitOfKeys(t *testing.T) {
	s := &script{}
	for i := range abi.LimitMetaKeys {
		s.call("meta_set", i, 1, 0, 1)
	}
	more := s.call("meta_set", abi.LimitMetaKeys, 1, 0, 1)
	again := s.call("meta_set", 0, 1, 0, 2)
	for i := range abi.LimitMetaKeys + 1 {
		s.data(i, string(rune('!'+i)))
	}
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content("x"))
	if got.err != nil || got.results[more] != limit || got.results[again] != 0 || len(got.out.Meta) != abi.LimitMetaKeys {
		t.Errorf("err %v, one more: %d, one again: %d, %d keys", got.err, got.results[more], got.results[again], len(got.out.Meta))
	}
}

// The index of a JSON text takes 16 bytes a value: a text of too many is given
// back to the host, which shows large content in windows.
func TestValuesOfOneJSONTextAreLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes 16 MB of JSON")
	}
	s := &script{noResult: true}
	s.call("json_kind", 0, 0, 0)
	b := newBench(t, func(o *Options) { o.Limits.Time = time.Minute })
	got := b.run(t, s.returns(abi.ReturnPass), content("["+strings.Repeat("0,", indexNodes-1)+"0]"))
	if got.err == nil || got.err.Error() != "guest trapped: JSON of more than 8,388,608 values in json_kind" || !errors.Is(got.err, abi.ErrLimit) {
		t.Errorf("got %v", got.err)
	}
}

// A guest that names all of its memory many times over is stopped in mid-import.
func TestLongWriteIsStopped(t *testing.T) {
	const vectors = 1000
	record := "\x00\x00\x00\x00\x00\x00\x00\x04" // from 0, 64 MiB
	s := (&script{noResult: true}).data(0, strings.Repeat(record, vectors))
	s.raw(i32const).raw(sleb(1024-3)...).raw(memoryGrow, 0, drop)
	s.callOf(wasiModule, "fd_write", typeI32, 1, 0, vectors, 100)
	b := newBench(t, func(o *Options) { o.Limits.Time = 50 * time.Millisecond })
	start := time.Now()
	if got := b.run(t, s.returns(abi.ReturnPass), content("x")); !errors.Is(got.err, abi.ErrLimit) {
		t.Errorf("got %v", got.err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

// filterSteps are what a filter may not do.
var filterSteps = []step{
	{"out_index", []any{-1, 0, 0}, unsupported}, {"section_add", []any{-1, 1, 0, 1, 0, 0}, unsupported},
	{"section_title", []any{0, 0, 0, 1}, unsupported}, {"section_summary", []any{0, 0, 0, 1}, unsupported},
	{"section_id", []any{0, 0, 1}, unsupported}, {"section_text", []any{0, 0}, unsupported},
}

func TestFilterAddsNoSections(t *testing.T) {
	s := &script{manifest: `{"name":"script","abi":"1.0","roles":[{"name":"script","kind":"filter","capabilities":["cache"]}]}`}
	runSteps(t, newBench(t, nil), s, filterSteps)
}

func runSteps(t *testing.T, b *bench, s *script, steps []step) {
	t.Helper()
	for _, st := range steps {
		s.call(st.name, st.args...)
	}
	s.call("out_write", 0, 0)
	got := b.run(t, s, content("hello"))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for i, st := range steps {
		if got.results[i] != st.want {
			t.Errorf("%s%v = %d, want %d", st.name, st.args, got.results[i], st.want)
		}
	}
}

// In _initialize only log works: the others answer UNSUPPORTED, out_* among them.
func TestInitializeMayLogOnly(t *testing.T) {
	for _, name := range []string{"out_write", "out_span", "buf_len", "log"} {
		s := &script{noResult: true}
		args := []any{0, 0, 0}[:len(importNamed(name).Params)]
		s.call(name, args...)
		s.init = append(slices.Clone(s.code), 0x41, 0, 0x41, 0, 0x28, 2, 0, 0x1a, 0x1a) // unused loads, dropped
		s.code = nil
		s.calls = 0
		// store of the result stands at resultsAt; the stage returns it
		s.raw(0x41).raw(sleb(resultsAt)...).raw(0x28, 2, 0, 0x0f) // i32.load; return
		got := newBench(t, nil).run(t, s, content("x"))
		want := "returned -8, want 0, 1 or 2"
		if name == "log" {
			want = "returned DONE without output"
		}
		if got.err == nil || got.err.Error() != want {
			t.Errorf("%s in _initialize: %v, want %s", name, got.err, want)
		} else if name != "log" {
			answered(abi.NSCore+"."+name, unsupported)
		}
	}
}

func importNamed(name string) abi.Import {
	i := slices.IndexFunc(abi.Imports, func(i abi.Import) bool { return i.Name == name })
	return abi.Imports[i]
}

func TestValuesOfTheCacheAreLimited(t *testing.T) {
	runSteps(t, newBench(t, nil), &script{pages: 66}, []step{
		{"cache_set", []any{0, 1, 0, abi.LimitCacheValueBytes + 1}, limit}, {"cache_set", []any{0, 1, 0, abi.LimitCacheValueBytes}, 0}})
}

func TestCacheSetKeepsTheLimitOfTheStore(t *testing.T) {
	b := newBench(t, nil)
	b.kv.full = fmt.Errorf("full: %w", abi.ErrLimit)
	runSteps(t, b, &script{}, []step{{"cache_set", []any{0, 1, 0, 1}, limit}})
	b = newBench(t, nil)
	b.kv.full = errors.New("disk on fire")
	runSteps(t, b, &script{}, []step{{"cache_set", []any{0, 1, 0, 1}, unavailable}})
}

var noCacheSteps = []step{{"cache_get", []any{0, 1}, unavailable}, {"cache_set", []any{0, 1, 0, 1}, unavailable}}

// One result at a time comes back as the stage's return code where there is no
// cache to carry it.
func TestCacheMayBeMissing(t *testing.T) {
	for _, st := range noCacheSteps {
		if got := lone(t, newBench(t, func(o *Options) { o.KV = nil }), "", st); got != st.want {
			t.Errorf("%s without a cache = %d, want %d", st.name, got, st.want)
		}
	}
}

// deniedSteps are what a role without capabilities gets, though another role of
// its module has them.
var deniedSteps = []step{
	{"cache_get", []any{0, 1}, denied}, {"cache_set", []any{0, 1, 0, 1}, denied}, {"available", []any{0}, denied},
	{"begin", []any{0, 1, 0}, denied}, {"system", []any{1, 0, 0}, denied}, {"text", []any{1, 0, 0}, denied},
	{"span", []any{1, 0, 0, 0}, denied}, {"send", []any{1}, denied}, {"wait", []any{-1, 0}, denied},
	{"status", []any{1}, denied}, {"result", []any{1}, denied},
}

func TestRoleWithoutCapabilityIsDenied(t *testing.T) {
	const manifest = `{"name":"script","abi":"1.0","roles":[{"name":"script","kind":"stage"},
		{"name":"other","kind":"stage","capabilities":["cache","llm"]}]}`
	for _, st := range deniedSteps {
		if got := lone(t, newBench(t, nil), manifest, st); got != st.want {
			t.Errorf("%s = %d, want %d", st.name, got, st.want)
		}
	}
}

// lone runs a guest that returns what one import answered.
func lone(t *testing.T, b *bench, manifest string, st step) int32 {
	t.Helper()
	s := &script{noResult: true, manifest: manifest}
	s.call(st.name, st.args...)
	s.raw(0x41).raw(sleb(resultsAt)...).raw(0x28, 2, 0, 0x0f)
	got := b.run(t, s, content("hello"))
	var code int32
	if _, err := fmt.Sscanf(fmt.Sprint(got.err), "returned %d, want 0, 1 or 2", &code); err != nil {
		t.Fatalf("%s: %v", st.name, got.err)
	}
	answered(s.names[0], code)
	return code
}
