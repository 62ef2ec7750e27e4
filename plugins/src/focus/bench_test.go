package focus

import (
	"os"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// BenchmarkLog measures the stage over 8,130 records, 1.9 MB.
func BenchmarkLog(b *testing.B) {
	content, err := os.ReadFile("../../../testdata/content/nd-nginx.ndjson")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		stagetest.Run("focus", stagetest.Call{Input: string(content), Arguments: `{"_question":"Which downloads of product 2 by wget got status 404?"}`})
	}
}
