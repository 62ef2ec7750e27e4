package web

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// wasSent reports whether a request may have reached its server before it failed.
func wasSent(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		return false
	}
	_, isInvalid := errors.AsType[*tls.CertificateVerificationError](err)
	return !isInvalid && !lacksTLS(err)
}

// lacksTLS reports whether the first answer of a server was none of TLS.
func lacksTLS(err error) bool {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok && record.Conn != nil
}

// classify returns the class of the reason why a server cannot be reached. Unlike the error, it
// contains no address, no name and no certificate, so callers may get it.
func classify(err error) string {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "TLS certificate is not valid"
	}
	name, isName := errors.AsType[*net.DNSError](err)
	address, isAddress := errors.AsType[*net.AddrError](err)
	limited, isLimited := errors.AsType[net.Error](err)
	switch {
	case isName && !name.IsTimeout:
		return "host not found"
	case isAddress && address.Err == linkLocalRefused:
		return linkLocalRefused
	case isLimited && limited.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case lacksTLS(err):
		return "it does not use TLS"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to its host"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return "connection closed"
	}
	return "connection failed"
}
