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

func TestOpenCalls(t *testing.T) {
	var o openCalls
	endA, err := o.begin("user a", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.begin("user a", 1); err == nil {
		t.Error("a second request of the caller: no error")
	} else if _, ok := errors.AsType[*access.WaitError](err); !ok {
		t.Errorf("a second request of the caller: %v, want a WaitError", err)
	}
	endB, err := o.begin("user b", 1)
	if err != nil {
		t.Errorf("a request of another caller: %v", err)
	}
	endB()
	endA()
	if len(o.n) > 0 {
		t.Errorf("after the end of all requests: %v", o.n)
	}
	if _, err := o.begin("user a", 1); err != nil {
		t.Errorf("after the end of the first request: %v", err)
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
