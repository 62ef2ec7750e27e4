package jsonrpc

import (
	"strings"
	"testing"
)

// BenchmarkDecodeUpstream decodes a result of 150 KB, which takes about one pass.
func BenchmarkDecodeUpstream(b *testing.B) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` +
		strings.Repeat(`{\"id\":4711,\"name\":\"some row of a table\",\"ok\":true}\n`, 2500) + `"}]}}`)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeUpstream(frame, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeCall(b *testing.B) {
	frame := []byte(`{"method":"tools/call","params":{"name":"files__read_file","arguments":{"path":"/srv/data/notes/2026/november.md","head":200},` +
		`"_meta":{"progressToken":12,"claudecode/toolUseId":"toolu_01A09q90qw90lq917835lq9"}},"jsonrpc":"2.0","id":12}`)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := Decode(frame, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := DecodeParams(m.Params); err != nil {
			b.Fatal(err)
		}
	}
}
