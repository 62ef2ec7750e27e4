package main

import (
	"math"
	"testing"

	"github.com/anishathalye/porcupine"
)

// The check of histories finds what it is for.
func TestRegisterModel(t *testing.T) {
	read := func(value string, call, end int64) porcupine.Operation {
		return porcupine.Operation{Input: input{}, Output: output{isRead, value}, Call: call, Return: end}
	}
	write := func(expect, next, result string, call, end int64) porcupine.Operation {
		return porcupine.Operation{Input: input{write: true, expect: expect, next: next}, Output: output{result: result}, Call: call, Return: end}
	}
	for _, c := range []struct {
		name string
		ops  []porcupine.Operation
		want bool
	}{
		{"write and read", []porcupine.Operation{write("0", "1", written, 0, 1), read("1", 2, 3)}, true},
		{"lost update", []porcupine.Operation{write("0", "1", written, 0, 2), write("0", "2", written, 1, 3)}, false},
		{"one of two conflicts", []porcupine.Operation{write("0", "1", written, 0, 2), write("0", "2", conflict, 1, 3)}, true},
		{"conflict without a change", []porcupine.Operation{write("0", "1", conflict, 0, 1)}, false},
		{"old value after a write", []porcupine.Operation{write("0", "1", written, 0, 1), read("0", 2, 3)}, false},
		{"old value during a write", []porcupine.Operation{write("0", "1", written, 0, 3), read("0", 1, 2)}, true},
		{"unknown write with an effect", []porcupine.Operation{write("0", "1", unknown, 0, math.MaxInt64), read("1", 2, 3)}, true},
		{"unknown write without an effect", []porcupine.Operation{write("0", "1", unknown, 0, math.MaxInt64), read("0", 2, 3)}, true},
		{"unknown write that is undone", []porcupine.Operation{write("0", "1", unknown, 0, math.MaxInt64), read("1", 2, 3), read("0", 4, 5)}, false},
		{"value that was never written", []porcupine.Operation{read("7", 2, 3)}, false},
	} {
		if got := porcupine.CheckOperations(register, c.ops); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
