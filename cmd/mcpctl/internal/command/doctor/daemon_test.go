package doctor

import (
	"net"
	"strings"
	"testing"
)

// Repeated runs of doctor give the same advice.
func TestFreeAddressIsTheNextPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	used := l.Addr().String()
	first := freeAddress(used)
	if again := freeAddress(used); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	free, err := net.Listen("tcp", strings.TrimPrefix(first, "http://"))
	if err != nil || first == "http://"+used {
		t.Errorf("%s is not free: %v", first, err)
	}
	if err == nil {
		free.Close()
	}
}
