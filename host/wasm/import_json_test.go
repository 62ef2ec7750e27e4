package wasm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// jsonCases are the functions on JSON.
var jsonCases = []importCase{
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
