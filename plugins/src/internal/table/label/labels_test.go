package label

import "testing"

func TestIsOpaque(t *testing.T) {
	for s, want := range map[string]bool{
		"c954ed42-fa39-442c-ba00-50969a2cc816":                     true,
		"WyIxa2dlbm9tZXMiLCJnZW5jb2RlX3YyNGxpZnQzNyIsIjE0MDUwOTE3": true,
		"8e3b2f1c": true,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4": true,
		"ENST00000466430.5":                        false,
		"2026-11-21T08:00:00.000Z":                 false,
		"node_modules/@babel/helper-validator":     false,
		"StringUtilsJoinBenchmark2":                false,
		"utf8mb4":                                  false,
		"x86_64-v2":                                false,
		"1 a 2 b 3 c 4 d":                          false,
		"":                                         false,
	} {
		if got := isOpaque([]byte(s)); got != want {
			t.Errorf("isOpaque(%q) = %t, want %t", s, got, want)
		}
	}
}
