package cache

import (
	"fmt"
	"testing"
)

func BenchmarkGet(b *testing.B) {
	value := make([]byte, 120_000)
	for name, memory := range map[string]int64{"memory": 16 << 20, "file": 1} {
		b.Run(name, func(b *testing.B) {
			c := open(b, tempPath(b), Options{MemoryBytes: memory})
			for n := range 50 {
				c.Put(keyOf(n), home, value)
			}
			c.Flush()
			keys := make([][32]byte, 50)
			for n := range keys {
				keys[n] = keyOf(n)
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if _, ok := c.Get(keys[n%50], home); !ok {
					b.Fatal("miss")
				}
				n++
			}
		})
	}
}

func BenchmarkGetParallel(b *testing.B) {
	c := open(b, tempPath(b), Options{})
	fill(c, 0, 1)
	key := keyOf(0)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			c.Get(key, home)
		}
	})
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{1_000, 120_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := open(b, tempPath(b), Options{})
			value := make([]byte, size)
			b.SetBytes(int64(size))
			n := 0
			for b.Loop() {
				c.Put(keyOf(n), home, value)
				n++
			}
			b.StopTimer()
			c.Flush()
			b.ReportMetric(float64(c.Stats().Faults.Dropped)/float64(n), "dropped/op")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := tempPath(b)
	c := open(b, path, Options{})
	for n := range 20_000 {
		c.Put(keyOf(n), home, make([]byte, 3_000))
		if n%5000 == 0 {
			c.Flush()
		}
	}
	_ = c.Close()
	for b.Loop() {
		c, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		_ = c.Close()
	}
}
