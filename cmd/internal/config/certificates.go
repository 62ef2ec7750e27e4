package config

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// maxCertificates is the size limit of a file of certificates in bytes.
const maxCertificates = 4 << 20

// checkCertificates returns an error for a file that cannot be the value of mcpd-ca: one that
// cannot be read, or without a certificate in PEM.
func checkCertificates(file string) error {
	why := ""
	text, err := readCertificates(file)
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &pathErr):
		why = pathErr.Err.Error()
	case err != nil:
		why = err.Error()
	case len(text) > maxCertificates:
		why = "it has more than 4 MiB"
	default:
		why = certificatesFault(text)
	}
	if why == "" {
		return nil
	}
	p := invalid("mcpd-ca: %s is not a file of certificates in PEM", file)
	p.Cause = why
	return p.WithHint("ls -l %s", problem.Arg(file))
}

func readCertificates(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a named pipe has no end
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return homedir.ReadAtMost(f, maxCertificates)
}

// certificatesFault returns why a text has no certificate that can be used, or "".
func certificatesFault(text []byte) string {
	other := ""
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			other = block.Type
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return "one of its certificates is invalid: " + err.Error()
		}
		return ""
	}
	switch {
	case other != "":
		return "it has no certificate, only a block " + other
	case bytes.HasPrefix(text, []byte{0x30}): // a sequence in ASN.1
		return "it looks like a certificate in DER; convert it with: openssl x509 -inform der"
	}
	return "it has no line -----BEGIN CERTIFICATE-----"
}
