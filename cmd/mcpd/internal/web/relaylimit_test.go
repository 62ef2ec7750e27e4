package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
)

func TestBudget(t *testing.T) {
	var b budget
	take := func(actor string, n int64) (func(), bool) {
		end, err := b.take(actor, n, 10, 15, "too much")
		if _, isWait := errors.AsType[*access.WaitError](err); err != nil && !isWait {
			t.Errorf("%s takes %d: %v, want a WaitError", actor, n, err)
		}
		return end, err == nil
	}
	endA, _ := take("a", 8)
	if _, ok := take("a", 3); ok {
		t.Error("a has more than a caller may have")
	}
	endB, ok := take("b", 7)
	if !ok {
		t.Error("b is limited by a")
	}
	if _, ok := take("c", 1); ok {
		t.Error("all have more than the total")
	}
	endA()
	if _, ok := take("c", 8); !ok {
		t.Error("a has ended, and c has nothing")
	}
	endB()
	if len(b.by) != 1 || b.total != 8 {
		t.Errorf("at the end: %v, %d", b.by, b.total)
	}
}

func TestHops(t *testing.T) {
	s, other := &Server{SessionKey: []byte("a")}, &Server{SessionKey: []byte("b")}
	for name, tt := range map[string]struct {
		via  []string
		want string
	}{
		"none":                   {nil, ""},
		"others":                 {[]string{"1.1 nginx", other.hop()}, ""},
		"this one":               {[]string{s.hop()}, "leads back"},
		"this one, among others": {[]string{"1.1 nginx, " + s.hop() + ",1.1 x", "1.1 y"}, "leads back"},
		"many":                   {[]string{strings.Repeat("1.1 x,", 16) + "1.1 x"}, "more than 16 proxies"},
	} {
		err := s.checkHops(http.Header{"Via": tt.via})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestRefuseMetadata(t *testing.T) {
	for address, refused := range map[string]bool{
		"169.254.169.254:80":          true,
		"[::ffff:169.254.169.254]:80": true,
		"[fe80::1%eth0]:80":           true,
		"[fd00:ec2::254]:80":          true,
		"[64:ff9b::a9fe:a9fe]:80":     true,
		"[::a9fe:a9fe]:80":            true,
		"[2002:a9fe:a9fe::1]:80":      true,
		"[::1]:80":                    false,
		"[64:ff9b::c000:201]:80":      false,
		"224.0.0.1:80":                true,
		"127.0.0.1:80":                false,
		"10.1.2.3:443":                false,
		"[fd00::1]:443":               false,
		"192.0.2.1:443":               false,
	} {
		if err := refuseMetadata("tcp", address, nil); (err != nil) != refused {
			t.Errorf("%s: %v, want refused %v", address, err, refused)
		}
	}
	dialer := net.Dialer{Control: refuseMetadata}
	if _, err := dialer.DialContext(context.Background(), "tcp", "169.254.169.254:80"); err == nil || !strings.Contains(err.Error(), "link-local") {
		t.Errorf("dial: %v", err)
	}
}
