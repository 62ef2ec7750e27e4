package reloop

import (
	"bytes"
	"strings"
	"testing"
)

func TestCopyTails(t *testing.T) {
	const (
		block  = "\x02\x40"
		loop   = "\x03\x40"
		ifThen = "\x04\x40"
		end    = "\x0b"
		br     = "\x0c"
		brIf   = "\x0d"
		less   = "\x20\x02\x20\x02\x54" // local.get 2, local.get 2, i64.lt_u
		not    = "\x20\x02\x20\x02\x5a" // i64.ge_u
		number = "\x20\x00"             // local.get 0
		work   = "\x20\x02\x1a"         // local.get 2, drop
		tail   = "\x20\x02\x21\x02"     // local.get 2, local.set 2
		table  = "\x20\x00\x0e\x01\x00\x01"
	)
	unchanged := func(code string) [2]string { return [2]string{code, code} }
	for name, c := range map[string][2]string{
		"if": {
			loop + block + less + brIf + "\x00" + work + end + tail + br + "\x00" + end,
			loop + block + not + ifThen + work + tail + br + "\x02" + end + end + tail + br + "\x00" + end,
		},
		"condition that is no comparison": {
			loop + block + number + brIf + "\x00" + work + end + tail + br + "\x00" + end,
			loop + block + number + "\x45" + ifThen + work + tail + br + "\x02" + end + end + tail + br + "\x00" + end,
		},
		"two conditions": {
			loop + block + less + brIf + "\x00" + less + brIf + "\x00" + work + end + tail + br + "\x00" + end,
			loop + block + not + ifThen + not + ifThen + work + tail + br + "\x03" + end + tail + br + "\x02" + end + end + tail + br + "\x00" + end,
		},
		"other branches after an if": {
			block + loop + block + less + brIf + "\x00" + less + brIf + "\x02" + block + br + "\x00" + end + end + tail + br + "\x00" + end + end,
			block + loop + block + not + ifThen + less + brIf + "\x03" + block + br + "\x00" + end + tail + br + "\x02" + end + end + tail + br + "\x00" + end + end,
		},
		"branch without a condition": {
			loop + block + block + br + "\x01" + end + work + end + tail + br + "\x00" + end,
			loop + block + block + tail + br + "\x02" + end + work + end + tail + br + "\x00" + end,
		},
		"branch out of an inner block": unchanged(loop + block + block + less + brIf + "\x01" + end + work + end + tail + br + "\x00" + end),
		"table after the branch":       unchanged(loop + block + less + brIf + "\x00" + block + table + end + end + tail + br + "\x00" + end),
		"long tail":                    unchanged(loop + block + less + brIf + "\x00" + work + end + strings.Repeat(tail, maxTail/2) + br + "\x00" + end),
		"tail that leaves the loop":    unchanged(block + loop + block + less + brIf + "\x00" + work + end + tail + br + "\x01" + end + end),
		"call in the tail":             unchanged(loop + block + less + brIf + "\x00" + work + end + "\x10\x00" + br + "\x00" + end),
		"no tail":                      unchanged(loop + block + less + brIf + "\x00" + work + end + end),
	} {
		t.Run(name, func(t *testing.T) {
			const locals = "\x01\x03\x7e"
			got := tidy(new(scratch), []byte(locals+c[0]+end), false)
			if want := []byte(locals + c[1] + end); !bytes.Equal(got, want) {
				t.Errorf("% x\nwant % x", got, want)
			}
		})
	}
}
