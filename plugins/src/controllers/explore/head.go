package explore

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolresult"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// answerHead replaces a large result of a plain call with its beginning. The result stays stored.
func answerHead(c *controller.Ctx, r toolresult.Result) error {
	most := c.Int("maxResponseSize", 8000)
	if most == 0 || r.Bytes <= most { // a character has at least a byte
		return controller.Pass
	}
	size, err := countCharacters(c, r, most)
	if err != nil {
		return err
	}
	if size <= most {
		return controller.Pass
	}
	part := r.Parts[0]
	b, err := c.OpenContent(part.Ref)
	if err != nil {
		return err
	}
	shown := readBeginning(b, min(c.Int("headSize", 2000), most))
	text := shown + "\n\n[the first " + strconv.Itoa(len(shown)) + " of " + strconv.Itoa(part.Bytes) + " bytes, cache_id " + part.Ref +
		"; proxy_explore tells the structure, proxy_filter takes fields, proxy_search finds places]"
	for i, other := range r.Parts[1:] {
		if i == 10 {
			text += "\n[... " + strconv.Itoa(len(r.Parts)-1-i) + " parts more]"
			break
		}
		text += "\n[part " + strconv.Itoa(i+2) + ": " + strconv.Itoa(other.Bytes) + " bytes, cache_id " + other.Ref + "]"
	}
	var facts jsontext.Object
	facts.Text("cache_id", part.Ref)
	facts.Int("bytes", r.Bytes)
	return r.Replace(text, `"proxy_explore":`+facts.String(), 0)
}

// countCharacters counts the characters of all parts, or returns most+1 if there are more.
// A text with more than 4*most bytes has more characters than most.
func countCharacters(c *controller.Ctx, r toolresult.Result, most int) (n int, err error) {
	if r.Bytes > 4*most {
		return most + 1, nil
	}
	for _, part := range r.Parts {
		b, err := c.OpenContent(part.Ref)
		if err != nil {
			return 0, err
		}
		for _, x := range b.Bytes() {
			if x&0xC0 != 0x80 {
				n++
			}
		}
		b.Free()
	}
	return n, nil
}

// readBeginning returns up to most characters of a text, cut at a line end if that keeps
// at least half of the bytes.
func readBeginning(b stage.Buf, most int) string {
	text := make([]byte, min(b.Len(), 4*most))
	_, _ = b.ReadAt(text, 0)
	end, n := 0, 0
	for end < len(text) && n < most {
		end++
		for end < len(text) && text[end]&0xC0 == 0x80 {
			end++
		}
		n++
	}
	cut := 0
	for next := lines.End(text, 0); next < end; next = lines.End(text, next) {
		cut = next
	}
	if cut >= end/2 && cut > 0 {
		end = cut
	}
	return string(text[:end])
}
