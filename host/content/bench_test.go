package content

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
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

// BenchmarkPutAmongLargeOnes measures how long a session waits for a small Original while
// 16 other sessions write large ones.
func BenchmarkPutAmongLargeOnes(b *testing.B) {
	for _, size := range []int{1 << 10, 2 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{MaxBytes: 512 << 20})
			var others sync.WaitGroup
			var stop atomic.Bool
			for n := range 16 {
				scope := flow.Scope{Project: "busy", Session: fmt.Sprint(n)}
				others.Go(func() {
					for i := 0; !stop.Load(); i++ {
						large := bytes.Repeat([]byte{byte(i)}, 8<<20)
						copy(large, fmt.Sprintf("%08d%08d", n, i))
						if ref, err := s.PutSum(scope, large, sha256.Sum256(large[:16]), info); err != nil {
							b.Error(err)
						} else if err := s.SetView(scope, ref, View{}); err != nil {
							b.Error(err)
						}
					}
				})
			}
			time.Sleep(time.Second) // until the others wait for each other
			var longest time.Duration
			for i := 0; b.Loop(); i++ {
				data := bytes.Repeat([]byte(fmt.Sprintf("%016d", i)), size/16)
				begin := time.Now()
				ref, err := s.Put(alice, data, info)
				if err = errors.Join(err, s.SetView(alice, ref, View{})); err != nil {
					b.Fatal(err)
				}
				longest = max(longest, time.Since(begin))
			}
			b.ReportMetric(float64(longest.Milliseconds()), "ms-max")
			stop.Store(true)
			others.Wait()
		})
	}
}
