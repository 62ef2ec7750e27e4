package object

import (
	"fmt"
	"log/slog"
)

// mask stands for a credential wherever one could be printed.
const mask = "***"

// Secret holds a credential. Every formatter prints ***: fmt with any verb,
// encoding/json, YAML, slog. Only Reveal gives the text.
//
// The text is held behind a pointer, so that a Secret in an unexported field,
// where fmt cannot call methods, prints an address at most.
type Secret struct{ text *string }

// NewSecret wraps s.
func NewSecret(s string) Secret { return Secret{&s} }

// Reveal returns the text; call it where the credential is used, no earlier.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String prints ***.
func (s Secret) String() string { return mask }

// Format prints *** for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(mask)) }

// MarshalText prints ***; JSON and map keys use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalYAML prints ***.
func (s Secret) MarshalYAML() (any, error) { return mask, nil }

// LogValue prints ***.
func (s Secret) LogValue() slog.Value { return slog.StringValue(mask) }
