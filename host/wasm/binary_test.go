package wasm

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// FuzzReadShape: whatever the bytes, reading ends, allocates in proportion, and
// what it lets through the engine refuses or takes without harm.
func FuzzReadShape(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(hostileDir, "*.wasm"))
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil && len(b) < 4096 {
			f.Add(b)
		}
	}
	s := &script{manifest: sessionManifest, hooks: []string{abi.ExportOnClose}, init: []byte{}, start: []byte{}}
	s.data(0, "data").call("buf_len", 0)
	f.Add(s.wasm())
	b := newBench(f, nil)
	f.Fuzz(func(t *testing.T, file []byte) {
		shape, err := readShape(file)
		if err != nil {
			return
		}
		if again, err := readShape(shape.stripped); err != nil || !bytes.Equal(again.stripped, shape.stripped) {
			t.Fatalf("stripping twice differs from stripping once: %v", err)
		}
		if len(file) > 2048 {
			return
		}
		if c, err := b.guarded.CompileModule(context.Background(), shape.stripped); err == nil {
			c.Close(context.Background())
		}
	})
}

func FuzzManifest(f *testing.F) {
	for _, m := range []string{sessionManifest, `{"name":"m","abi":"1.0","roles":[{"name":"a","kind":"stage","config":[{"name":"n","type":"enum","values":["x"]}]}]}`,
		`{"roles":[[]]}`, `{"roles":{}}`, `[]`, `{"name":"m","abi":"1.0","roles":[{"config":[{}]}]}`} {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseManifest(b)
		if err == nil && (len(m.Roles) == 0 || !validName(m.Name) || !validName(m.Roles[0].Name)) {
			t.Fatalf("%q was taken: %+v", b, m)
		}
	})
}

// image is the memory that data segments make, in their order.
func image(segments []segmentAt, size int) []byte {
	memory := make([]byte, size)
	for _, s := range segments {
		copy(memory[s.at:], s.data)
	}
	return memory
}

// Merged segments make the same memory as they did apart.
func TestMergedDataIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const size = 64 << 10
	merges := 0
	for range 300 {
		var segments []segmentAt
		for range 16 + rng.IntN(40) {
			data := make([]byte, rng.IntN(200))
			for i := range data {
				data[i] = byte(1 + rng.IntN(255))
			}
			segments = append(segments, segmentAt{uint32(rng.IntN(size - 200)), data})
		}
		out := mergeSegments(segments)
		if out == nil {
			continue // some share bytes
		}
		merges++
		r := &reader{b: out}
		merged, plain := readSegments(r)
		if r.err != nil || !plain || r.left() != 0 || len(merged) > len(segments) {
			t.Fatalf("merged section: %v, plain %v, %d bytes left", r.err, plain, r.left())
		}
		if !bytes.Equal(image(merged, size), image(segments, size)) {
			t.Fatal("memory differs")
		}
	}
	if merges < 20 {
		t.Errorf("only %d of 300 were merged", merges)
	}
}

func TestDataThatIsLeftAlone(t *testing.T) {
	many := make([]segmentAt, 20)
	for i := range many {
		many[i] = segmentAt{uint32(i * 10), []byte("abc")}
	}
	if mergeSegments(many[:15]) != nil {
		t.Error("few segments were merged")
	}
	if mergeSegments(many) == nil {
		t.Error("20 segments side by side were not merged")
	}
	overlapping := slices.Clone(many)
	overlapping[7].data = bytes.Repeat([]byte("x"), 11)
	if mergeSegments(overlapping) != nil {
		t.Error("segments that share bytes were merged")
	}
	high := append(slices.Clone(many), segmentAt{^uint32(0), []byte("ab")})
	if mergeSegments(high) != nil {
		t.Error("a segment past the end of memory was merged")
	}
}
