package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A pass with cached steps takes no noticeable time.
func BenchmarkCached120KB(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789 abcde"), 7500)
	hash := sha256.Sum256(text)
	index := runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		tree := abi.Tree{Type: "prose"}
		for i := range 40 {
			tree.Sections = append(tree.Sections, abi.Section{Parent: -1, Start: i * 3000, End: (i + 1) * 3000, ID: "part", Title: "Part of it"})
		}
		return abi.Output{Bytes: []byte("40 parts\n"), Marks: []abi.Mark{{Offset: 9, Section: -1}}, Tree: tree}, nil
	})
	for name, steps := range map[string][]Step{
		"no steps":          nil,
		"pass, pass":        {stage("passthrough", passOn), stage("paginate", passOn)},
		"pass, 40 sections": {stage("clean", passOn), stage("split", index)},
		"40 sections, pass": {stage("split", index), stage("tree", passOn)},
		"120 KB, 120 KB":    {stage("upper", upper), stage("dot", appendDot)},
	} {
		b.Run(name, func(b *testing.B) {
			p := open(b, Options{Cache: newMemory()})
			r := request("", steps...)
			r.Content.Bytes, r.Hash = text, &hash // known because the Content is stored; computing it takes 70 us
			run(b, p, r)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.Run(b.Context(), r)
			}
		})
	}
}
