package proxy

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Texts up to sampleAbove bytes are counted as a whole, of a larger one so many
// samples of so many bytes: counting 128 KB takes as long as passing them on.
const (
	sampleAbove = 16 << 10
	sampleBytes = 1 << 10
	samples     = 8
)

// sampledTokens estimates the tokens of the text blocks of a result that no stage
// reads, or of its structuredContent where it has no text block.
func sampledTokens(result []byte) (n int) {
	if len(result) > sampleAbove && !mayHoldBlob(result) {
		return literalTokens(result) // finding the texts takes as long as counting them
	}
	elements(result, lastMember(result, "content"), func(m jsonspan.Member) {
		block := result[m.Start:m.End]
		if text := lastMember(block, "text"); text.End > 0 {
			n += literalTokens(block[text.Start:text.End])
		}
	})
	if structured := lastMember(result, "structuredContent"); n == 0 && structured.End > 0 {
		n = literalTokens(result[structured.Start:structured.End])
	}
	return n
}

// mayHoldBlob reports whether a result may hold what is no text, and much of it.
func mayHoldBlob(result []byte) bool {
	return bytes.Contains(result, []byte(`"image"`)) || bytes.Contains(result, []byte(`"audio"`)) || bytes.Contains(result, []byte(`"blob"`))
}

// literalTokens estimates the tokens of the text that a JSON literal spells.
func literalTokens(literal []byte) int {
	if len(literal) <= sampleAbove {
		if text, err := jsonspan.Unquote(literal); err == nil {
			literal = text
		}
		return abi.EstimateTokens(literal)
	}
	tokens := 0
	for i := range samples {
		at := (len(literal) - sampleBytes) / (samples - 1) * i
		window := bytes.ReplaceAll(literal[at:at+sampleBytes], []byte(`\n`), []byte("\n"))
		tokens += abi.EstimateTokens(bytes.ReplaceAll(window, []byte(`\"`), []byte(`"`)))
	}
	return int(int64(tokens) * int64(len(literal)) / (samples * sampleBytes))
}
