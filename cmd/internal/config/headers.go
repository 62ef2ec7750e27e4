package config

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Header is one header of otel.headers. Its value may contain references to secrets.
type Header struct {
	Name  string
	Value secret.Template
}

// Headers returns the value of otel.headers.
func (s Settings) Headers(name string) []Header {
	list, _ := parseHeaders(s.Get(name)) // Load has checked it
	return list
}

// parseHeaders parses "NAME=VALUE, NAME=VALUE", the form of the variable
// OTEL_EXPORTER_OTLP_HEADERS.
//
// It returns abi.ErrConfig for a value that is itself a credential; the error does not
// contain values.
func parseHeaders(text string) (list []Header, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok || !isToken(name):
			return nil, fmt.Errorf("%w: header %d has no name, want NAME=VALUE, NAME=VALUE", abi.ErrConfig, len(list)+1)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return nil, fmt.Errorf("%w: header %s contains a control character", abi.ErrConfig, name)
		}
		t, err := secret.ParseTemplate(value)
		if err != nil {
			return nil, fmt.Errorf("%w: header %s: %s", abi.ErrConfig, name, strings.TrimPrefix(err.Error(), abi.ErrConfig.Error()+": "))
		}
		plain := t.WithDefaults()
		if credential.IsName(name) && plain != "" && len(t.Required()) == 0 || len(credential.FindNamed(name, plain)) > 0 {
			return nil, fmt.Errorf("%w: header %s is a credential, write ${NAME} and set NAME with \"mcpctl config set-secret NAME\"", abi.ErrConfig, name)
		}
		list = append(list, Header{name, t})
	}
	return list, nil
}

// isToken reports whether s can be the name of a header.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r)
	})
}

func headerList(s string) string {
	if _, err := parseHeaders(s); err != nil {
		return "is not valid: " + strings.TrimPrefix(err.Error(), abi.ErrConfig.Error()+": ")
	}
	return ""
}

// serviceName checks a name for services.
func serviceName(s string) string {
	if len(s) > 255 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "is not a name of at most 255 bytes without control characters"
	}
	return ""
}

// baseURL checks an address to which paths are appended.
func baseURL(s string) string {
	if why := webURL(s); why != "" {
		return why
	}
	if strings.ContainsAny(s, "?#") {
		return "has a query or fragment, want http://HOST:PORT or http://HOST:PORT/PATH"
	}
	return ""
}
