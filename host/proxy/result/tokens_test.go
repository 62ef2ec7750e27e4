package result

import (
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func TestTokensOfLargeResultsAreEstimatedFromSamples(t *testing.T) {
	var log strings.Builder
	for i := 0; log.Len() < 200<<10; i++ {
		fmt.Fprintf(&log, "%d\t\"/src/pkg-%d/file.go\": undefined: someName [exit %d]\n", i, i%7, i%3)
	}
	quoted := string(jsonspan.AppendQuote(nil, []byte(log.String())))
	want := abi.EstimateTokens([]byte(log.String()))
	for name, raw := range map[string]string{
		"a text":            `{"content":[{"type":"text","text":` + quoted + `}],"isError":true}`,
		"structuredContent": `{"content":[],"structuredContent":{"log":` + quoted + `}}`,
	} {
		if got := SampledTokens([]byte(raw)); math.Abs(float64(got-want)) > 0.05*float64(want) {
			t.Errorf("%s: %d tokens, want %d", name, got, want)
		}
	}
	image := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(log.String(), 2)))
	block := `{"type":"image","mimeType":"image/png","data":"` + image + `"}`
	if got := SampledTokens([]byte(`{"content":[` + block + `]}`)); got > len(image)/100 {
		t.Errorf("an image alone has %d tokens, want about none", got)
	}
	both := `{"content":[{"type":"text","text":` + quoted + `},` + block + `]}`
	if got := SampledTokens([]byte(both)); math.Abs(float64(got-want)) > 0.25*float64(want) {
		t.Errorf("a text and an image: %d tokens, want about the %d of the text", got, want)
	}
}
