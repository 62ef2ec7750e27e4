package demo

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The content of the demo equals that of testdata/content.
func TestContentEqualsTestData(t *testing.T) {
	for _, tool := range Tools {
		want, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "content", tool.File))
		if err != nil || !bytes.Equal(tool.Content(), want) {
			t.Errorf("%s differs from testdata/content (%v)", tool.File, err)
		}
	}
}

func TestServerReturnsItsFiles(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(t.Context(), in, out, "1"); out.Close() }()
	go func() {
		_, _ = io.WriteString(ask, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_guide"}}
`)
	}()
	lines := bufio.NewReader(answers)
	var all string // the answers may arrive in any order
	for range 2 {  // read both before the input ends, because the server then stops
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		all += line
	}
	ask.Close()
	if err := <-served; err != nil || !strings.Contains(all, "Gson User Guide") {
		t.Errorf("answered %.300s, %v", all, err)
	}
}
