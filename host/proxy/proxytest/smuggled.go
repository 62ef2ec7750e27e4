package proxytest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// spellings returns spellings of a key that some readers accept as the key itself.
func spellings(key string) []string {
	all := []string{key, strings.ToUpper(key), strings.ToUpper(key[:1]) + key[1:], key[:1] + strings.ToUpper(key[1:])}
	for _, fold := range []struct{ from, to string }{{"s", "ſ"}, {"k", "\u212a"}, {"i", "ı"}, {"i", "İ"}} {
		if strings.Contains(key, fold.from) {
			all = append(all, strings.Replace(key, fold.from, fold.to, 1))
		}
	}
	escaped := ""
	for _, c := range key {
		escaped += fmt.Sprintf(`\u%04x`, c)
	}
	return append(all, escaped, key[:1]+fmt.Sprintf(`\u%04X`, key[1])+key[2:])
}

// Smuggled returns messages in which a second key contradicts the key on which the
// decision is based: calls of the tools s__safe and s__danger.
func Smuggled() []string {
	const safe, danger = `"s__safe"`, `"s__danger"`
	var all []string
	for _, key := range spellings("method") {
		all = append(all,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"ping",%q:"tools/call","params":{"name":%s}}`, key, danger),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,%q:"tools/call","method":"ping","params":{"name":%s}}`, key, danger))
	}
	for _, key := range spellings("params") {
		all = append(all,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s},%q:{"name":%s}}`, safe, key, danger),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",%q:{"name":%s},"params":{"name":%s}}`, key, danger, safe))
	}
	for _, key := range spellings("name") {
		for _, form := range []string{`{"name":%s,%q:%s}`, `{"name":%[1]s,"arguments":{},%[2]q:%[3]s}`} {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+form+`}`, safe, key, danger))
		}
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%q:%s,"name":%s}}`, key, danger, safe),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{},%q:%s}}`, key, danger))
	}
	for _, key := range spellings("arguments") {
		all = append(all,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":{"mode":"safe"},%q:{"mode":"danger"}}}`, safe, key),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,%q:{"mode":"danger"},"arguments":{"mode":"safe"}}}`, safe, key),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%q:{"mode":"open"},"name":%s}}`, key, safe))
	}
	for _, key := range spellings("mode") {
		for _, form := range []string{`{"mode":"safe",%q:"danger"}`, `{%q:"danger","mode":"safe"}`, `{"x":{},"mode":"safe","y":[],%q:"danger"}`} {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":`+form+`}}`, safe, key))
		}
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":{"mode":"safe","deep":[{"mode":"safe",%q:"danger"}]}}}`, safe, key))
	}
	for _, key := range spellings("_meta") {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"_meta":{"progressToken":1},%q:{"progressToken":2},"arguments":{"mode":"safe"}}}`, safe, key))
	}
	for _, key := range spellings("progressToken") {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"_meta":{"progressToken":1,%q:2}}}`, safe, key))
	}
	for _, key := range spellings("_section") {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":{"_section":"","mode":"safe",%q:"x"}}}`, safe, key))
	}
	for _, key := range spellings("_question") {
		all = append(all,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":{"_question":"what?","mode":"safe",%q:"x"}}}`, safe, key),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":{%q:"x","mode":"safe","_question":"what?"}}}`, safe, key))
	}
	for _, value := range []string{`["what?"]`, `{"mode":"danger"}`, `1`, `true`, `"\ud800"`, `"` + strings.Repeat("long ", 500) + `"`} {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":{"_question":%s,"mode":"safe"}}}`, safe, value))
	}
	for _, key := range []string{"id", "jsonrpc", "error", "result", "task", "uri"} {
		for _, k := range spellings(key) {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s},%q:{"method":"tools/call","params":{"name":%s}}}`, safe, k, danger))
		}
	}
	for _, junk := range []string{"\x00", "\xef\xbb\xbf", "}", "{}", "[]", "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"s__danger"}}`, "\xff", "//"} {
		whole := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s}}`, safe)
		all = append(all, whole+junk, junk+whole, strings.Replace(whole, "safe", "safe"+junk, 1))
	}
	for _, wire := range []string{"s__safe ", " s__safe", "S__SAFE", "s__ſafe", "s/safe", "s__danger\u0000", "s__safe\r\n", "safe", "danger", "../danger", "s__danger__", "__danger", "", "x__danger"} {
		b, _ := json.Marshal(wire) // a string never fails
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s}}`, b))
	}
	return all
}

// Slipped reports whether the params of a call that reached the server refer to another
// tool or other arguments than the decision was based on.
func Slipped(params string) bool {
	lax := readLax(params)
	return lax.Name != "safe" || lax.Arguments.Mode == "danger" || strings.Contains(params, "_section") || strings.Contains(params, "_question")
}

// readLax decodes like encoding/json: keys in any case, of duplicates the last one.
func readLax(params string) (lax struct {
	Name      string
	Arguments struct{ Mode string }
}) {
	_ = json.Unmarshal([]byte(params), &lax)
	return lax
}
