// Package secret holds credentials so that they cannot be printed by accident. It reads
// and edits secrets.yaml, and expands ${VAR} references.
//
// A Value is one credential. A Template is a text with references; it keeps them until
// Expand is called with a Lookup of the environment and of the secrets File.
package secret

import (
	"fmt"
	"log/slog"

	"github.com/mcpctl/mcpctl/host/credential"
)

// mask replaces a credential wherever it would be printed.
const mask = credential.Mask

// Value is a credential. It prints as *** with every formatter: fmt with any verb,
// encoding/json, YAML and slog. Only Reveal returns the text.
//
// The text is stored by reference, so that fmt prints only an address for a Value in an
// unexported field, where it cannot call methods.
type Value struct{ text *string }

// New returns the Value of a text.
func New(text string) Value { return Value{&text} }

// Reveal returns the text. Call it only where the credential is used.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// String returns ***.
func (v Value) String() string { return mask }

// Format prints *** for every verb and flag.
func (v Value) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(mask)) }

// MarshalText returns ***. encoding/json uses it for values and map keys.
func (v Value) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalYAML returns ***.
func (v Value) MarshalYAML() (any, error) { return mask, nil }

// LogValue returns ***.
func (v Value) LogValue() slog.Value { return slog.StringValue(mask) }
