package module

import "testing"

func TestLargeBodyIsRefused(t *testing.T) {
	body := make([]byte, maxBodyBytes+1)
	file := AppendSection([]byte(Header), SectionType, []byte{1, functionForm, 0, 0})
	file = AppendSection(file, SectionFunction, []byte{1, 0})
	file = AppendSection(file, SectionCode, append(AppendU32([]byte{1}, uint32(len(body))), body...))
	_, err := Parse(file)
	if err == nil || err.Error() != "code section: function 0: body of 524289 bytes, limit 524288" {
		t.Errorf("got %v", err)
	}
}
