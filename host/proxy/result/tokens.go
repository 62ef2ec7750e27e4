package result

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Texts up to sampleAbove bytes are counted whole. Of a larger text only samples are
// counted, because counting 128 KB would take as long as passing it on.
const (
	sampleAbove = 16 << 10
	sampleBytes = 256
	samples     = 6
)

// TextTokens estimates the tokens of the text blocks in a tools/call result.
func TextTokens(result []byte) (n int) {
	jsonedit.Elements(result, jsonedit.Member(result, "content"), func(m jsonspan.Member) {
		n += abi.EstimateTokens([]byte(jsonedit.MemberText(result[m.Start:m.End], "text")))
	})
	return n
}

// SampledTokens estimates the tokens of the text blocks of a result that no stage
// reads, or of its structuredContent if it has no text block. Images, audio and
// resources in base64 do not count.
func SampledTokens(result []byte) (n int) {
	if len(result) > sampleAbove {
		return estimateBySamples(result) // finding the texts would take as long as counting them
	}
	jsonedit.Elements(result, jsonedit.Member(result, "content"), func(m jsonspan.Member) {
		block := result[m.Start:m.End]
		if text := jsonedit.Member(block, "text"); text.End > 0 {
			n += literalTokens(block[text.Start:text.End])
		}
	})
	if structured := jsonedit.Member(result, "structuredContent"); n == 0 && structured.End > 0 {
		n = literalTokens(result[structured.Start:structured.End])
	}
	return n
}

// literalTokens estimates the tokens of the text that a JSON literal encodes.
func literalTokens(literal []byte) int {
	if text, err := jsonspan.Unquote(literal); err == nil {
		literal = text
	}
	return abi.EstimateTokens(literal)
}

// estimateBySamples estimates the tokens of the texts in JSON of more than sampleAbove
// bytes, using samples at equal distances, each in the middle of its range.
func estimateBySamples(text []byte) int {
	read := make([]byte, 0, samples*sampleBytes)
	for i := range samples {
		at := (len(text) - sampleBytes) * (2*i + 1) / (2 * samples)
		read = appendUnescaped(read, trimBase64(text[at:at+sampleBytes]))
	}
	return int(int64(abi.EstimateTokens(read)) * int64(len(text)) / (samples * sampleBytes))
}

// trimBase64 returns a sample without base64 at its start and end: runs of letters,
// digits, '+' and '/' that are longer than any word.
func trimBase64(sample []byte) []byte {
	const longestWord = 64
	first, last := 0, len(sample)
	for first < last && isBase64(sample[first]) {
		first++
	}
	for last > first && isBase64(sample[last-1]) {
		last--
	}
	if first <= longestWord {
		first = 0
	}
	if len(sample)-last <= longestWord {
		last = len(sample)
	}
	return sample[first:last]
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

// appendUnescaped appends a sample of a JSON literal to out, with the common escapes
// \n, \t, \" and \\ decoded. A sample may start and end within an escape.
func appendUnescaped(out, sample []byte) []byte {
	for {
		at := bytes.IndexByte(sample, '\\')
		if at < 0 || at+1 == len(sample) {
			return append(out, sample...)
		}
		out = append(out, sample[:at]...)
		switch c := sample[at+1]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case '"', '\\':
			out = append(out, c)
		default:
			out = append(out, '\\', c)
		}
		sample = sample[at+2:]
	}
}
