package lab

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

func TestPassThrough(t *testing.T) {
	want := new(hosttest.Module).Returns(abi.ReturnPass).File()
	if !bytes.Equal(PassThrough, want) {
		t.Fatalf("PassThrough = %x, want %s", PassThrough, hex.EncodeToString(want))
	}
	m, err := open(t).Load(t.Context(), "pass", PassThrough)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r, err := m.Runner(Call{Role: "pass", Input: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if res, took, err := r.Run(t.Context()); err != nil || res.Outcome != Pass || took <= 0 || res.Output.Stats.HostCalls != 0 {
			t.Errorf("%s in %v, %d calls, %v", res.Outcome, took, res.Output.Stats.HostCalls, err)
		}
	}
}
