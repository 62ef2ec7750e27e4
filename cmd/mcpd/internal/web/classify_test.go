package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

// The class of a cause contains no part of it, and only requests that were not sent are repeated.
func TestClassify(t *testing.T) {
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 80}, Err: err}
	}
	call := func(number syscall.Errno) error { return os.NewSyscallError("connect", number) }
	for name, tt := range map[string]struct {
		err  error
		want string
		sent bool
	}{
		"refused":             {dial(call(syscall.ECONNREFUSED)), "connection refused", false},
		"proxy refused":       {&net.OpError{Op: "proxyconnect", Net: "tcp", Err: dial(call(syscall.ECONNREFUSED))}, "connection refused", false},
		"no route":            {dial(call(syscall.EHOSTUNREACH)), "no route to its host", false},
		"no name":             {dial(&net.DNSError{Err: "no such host", Name: "wiki.internal", Server: "10.0.0.1:53", IsNotFound: true}), "host not found", false},
		"no answer about it":  {dial(&net.DNSError{Err: "i/o timeout", Name: "wiki.internal", Server: "10.0.0.1:53", IsTimeout: true}), "timeout", false},
		"dial timeout":        {dial(os.ErrDeadlineExceeded), "timeout", false},
		"link-local":          {dial(refuseMetadata("tcp", "169.254.169.254:80", nil)), linkLocalRefused, false},
		"certificate":         {&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"wiki.internal"}}, Host: "10.1.2.3"}}, "TLS certificate is not valid", false},
		"no TLS":              {tls.RecordHeaderError{Msg: "first record", Conn: new(net.TCPConn)}, "it does not use TLS", false},
		"late":                {fmt.Errorf("read: %w", context.DeadlineExceeded), "timeout", true},
		"reset":               {&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection closed", true},
		"end":                 {io.EOF, "connection closed", true},
		"anything else":       {errors.New("wiki.internal failed"), "connection failed", true},
		"in an error of HTTP": {&url.Error{Op: "Post", URL: "http://wiki.internal/?key=x", Err: dial(call(syscall.ECONNREFUSED))}, "connection refused", false},
	} {
		if got, sent := classify(tt.err), wasSent(tt.err); got != tt.want || sent != tt.sent {
			t.Errorf("%s: %q, sent %v, want %q, %v", name, got, sent, tt.want, tt.sent)
		}
	}
}
