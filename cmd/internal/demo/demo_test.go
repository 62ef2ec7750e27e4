package demo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The demo's content is a copy: the source and licence stand beside the other.
func TestContentIsThatOfTheTestData(t *testing.T) {
	for _, tool := range Tools {
		want, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "content", tool.File))
		if err != nil || !bytes.Equal(tool.Content(), want) {
			t.Errorf("%s differs from testdata/content (%v)", tool.File, err)
		}
	}
}

func TestServerAnswersItsFiles(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_guide"}}
`)
	var out bytes.Buffer
	if err := Serve(t.Context(), in, &out, "1"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Gson User Guide") {
		t.Errorf("answered %.300s", out.String())
	}
}
