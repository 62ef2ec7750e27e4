package jsonspan

import (
	"errors"
	"fmt"
	"testing"
)

func TestScanMembers(t *testing.T) {
	tests := []struct {
		rule, text string
		want       string // "" if refused
	}{
		{"members in order", ` { "a" : 1 ,"b":[2], "a":{} } x`, `["a"=1 "b"=[2] "a"={}]`},
		{"empty", `{ }`, `[]`},
		{"array", `[]`, ""},
		{"nothing", ``, ""},
		{"half", `{"a":1`, ""},
		{"trailing comma", `{"a":1,}`, ""},
		{"missing comma", `{"a":1 "b":2}`, ""},
		{"no key", `{1:1}`, ""},
		{"bad value", `{"a":tru}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			got, b := []string{}, []byte(tt.text)
			end, err := ScanMembers(b, 0, func(key []byte, at int) (int, error) {
				end, err := ValueEnd(b, at)
				got = append(got, string(key)+"="+string(b[at:max(at, end)]))
				return end, err
			})
			if (err == nil) != (tt.want != "") {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if err == nil && (fmt.Sprint(got) != tt.want || b[end-1] != '}') {
				t.Fatalf("got %v ending at %d, want %s", got, end, tt.want)
			}
		})
	}
}

func TestScanMembersReturnsTheCallersError(t *testing.T) {
	stop := errors.New("stop")
	_, err := ScanMembers([]byte(`{"a":1}`), 0, func([]byte, int) (int, error) { return 0, stop })
	if !errors.Is(err, stop) {
		t.Fatalf("got %v, want %v", err, stop)
	}
}
