package recording

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/credential"
)

// maskJSON replaces the credentials in a JSON value.
func maskJSON(raw []byte) (masked json.RawMessage, changed bool) {
	if len(raw) == 0 {
		return nil, false
	}
	masked, changed, err := credential.MaskJSON(raw, nil)
	if err != nil { // the proxy accepts no such arguments
		return json.RawMessage(`"` + credential.Mask + `"`), true
	}
	return masked, changed
}
