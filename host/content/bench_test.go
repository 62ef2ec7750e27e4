package content

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{1 << 10, 128 << 10, 1 << 20} {
		data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
		b.Run(fmt.Sprintf("new %d", size), func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{MaxBytes: 64 << 20})
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				fresh := append([]byte(fmt.Sprintf("%016d", i)), data[16:]...)
				b.StartTimer()
				ref, err := s.Put(alice, fresh, info)
				b.StopTimer()
				if err = errors.Join(err, s.SetView(alice, ref, View{})); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
		b.Run(fmt.Sprintf("again %d", size), func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{})
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := s.Put(alice, data, info); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkView(b *testing.B) {
	var v View
	for i := range 40_000 {
		v.Tree.Sections = append(v.Tree.Sections, abi.Section{Parent: -1, Start: i * 90, End: i*90 + 88, ID: fmt.Sprintf("%08x.%06x", i*7919, i), Title: fmt.Sprint("record ", i)})
	}
	s := openStore(b, b.TempDir(), Options{})
	ref := put(b, s, alice, "x")
	b.Run("set again", func(b *testing.B) {
		for b.Loop() {
			if err := s.SetView(alice, ref, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if got, _, err := s.View(alice, ref); err != nil || len(got.Tree.Sections) != 40_000 {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	for name, memory := range map[string]int64{"memory": 1 << 20, "disk": 1} {
		b.Run(name, func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{Memory: memory})
			ref := put(b, s, alice, strings.Repeat("0123456789abcdef", 8<<10))
			if err := s.SetView(alice, ref, View{}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := s.Get(alice, ref); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
