package module

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

func TestLargeBodyIsRefused(t *testing.T) {
	body := make([]byte, maxBodyBytes+1)
	file := binary.AppendSection([]byte(binary.Header), binary.SectionType, []byte{1, binary.FunctionForm, 0, 0})
	file = binary.AppendSection(file, binary.SectionFunction, []byte{1, 0})
	file = binary.AppendSection(file, binary.SectionCode, append(binary.AppendU32([]byte{1}, uint32(len(body))), body...))
	_, err := Parse(file)
	if err == nil || err.Error() != "code section: function 0: body of 524289 bytes, limit 524288" {
		t.Errorf("got %v", err)
	}
}
