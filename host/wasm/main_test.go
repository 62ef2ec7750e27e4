package wasm

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// answers remembers what guests got from imports over all tests.
var answers = struct {
	sync.Mutex
	got map[string]bool
}{got: map[string]bool{}}

func answered(function string, result int32) {
	answers.Lock()
	defer answers.Unlock()
	answers.got[fmt.Sprint(function, " ", abi.ErrCode(min(result, 0)))] = true
}

// TestMain fails a whole run in which some function was never called with success,
// or never gave one of the codes that abi.json lists.
func TestMain(m *testing.M) {
	status := m.Run()
	if f := flag.Lookup("test.run"); status == 0 && f.Value.String() == "" && flag.Lookup("test.fuzz").Value.String() == "" {
		for _, miss := range missing() {
			fmt.Println("FAIL: no guest gets", miss)
			status = 1
		}
	}
	os.Exit(status)
}

func missing() []string {
	var out []string
	for _, i := range abi.Imports {
		for _, code := range append([]abi.ErrCode{0}, i.Codes...) {
			if what := fmt.Sprint(i.Namespace, ".", i.Name, " ", code); !answers.got[what] {
				out = append(out, what)
			}
		}
	}
	return out
}
