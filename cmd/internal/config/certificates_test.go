package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// newCertificate returns a certificate in DER, and its key in PEM.
func newCertificate(t *testing.T) (der, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err = x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	b, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return der, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: b})
}

func TestSetChecksCertificates(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	der, key := newCertificate(t)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	k, err := Find("mcpd-ca")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		text  []byte // nil: there is no such file
		cause string
	}{
		{"missing.pem", nil, "no such file or directory"},
		{"empty.pem", []byte{}, "it has no line -----BEGIN CERTIFICATE-----"},
		{"text.pem", []byte("hello\n"), "it has no line -----BEGIN CERTIFICATE-----"},
		{"key.pem", key, "it has no certificate, only a block EC PRIVATE KEY"},
		{"der.pem", der, "it looks like a certificate in DER"},
		{"damaged.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der[:20]}), "one of its certificates is invalid"},
		{"large.pem", make([]byte, maxCertificates+1), "it has more than 4 MiB"},
		{"certificate.pem", certificate, ""},
		{"key-and-certificate.pem", append(key, certificate...), ""},
	} {
		file := filepath.Join(dir, tt.name)
		if tt.text != nil {
			if err := os.WriteFile(file, tt.text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := Set(home, k, file)
		if tt.cause == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		p := problem.From(err)
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(p.Message, file) || !strings.Contains(p.Cause, tt.cause) || !strings.HasPrefix(p.Hint, "ls -l ") {
			t.Errorf("%s: %v, want a cause with %q", tt.name, err, tt.cause)
		}
	}
	if err := Set(home, k, dir); err == nil || problem.From(err).Cause != "it is not a regular file" {
		t.Errorf("a directory: %v", err)
	}
	if err := Set(home, k, ""); err != nil {
		t.Errorf("removing the setting: %v", err)
	}
}
