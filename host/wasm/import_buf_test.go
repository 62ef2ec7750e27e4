package wasm

import "github.com/mcpctl/mcpctl/abi"

// bufCases are the functions on buffers.
var bufCases = []importCase{
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
}
