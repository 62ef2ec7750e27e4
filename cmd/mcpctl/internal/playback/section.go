package playback

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/recording"
)

// readSection plays a section that the client has read. A section with content is counted
// as reached if the same bytes are read, by any path; an index or a search is a step on
// the way, which another proxymodel may not have.
func (p *player) readSection(ctx context.Context, l *recording.Line) error {
	want := read(l.Reply)
	origin, ok := p.first[l.Section.Ref]
	if !ok { // of a call before the recording began, or of another session
		p.res.Outside++
		return nil
	}
	s := Section{Tool: origin.tool, Section: l.Section.Section, Bytes: position(l.Section), Size: len(want.text), Tokens: origin.tokens}
	isContent := !want.isError && isContent(l.Section.Kind)
	if !p.res.IsRecorder && isContent && bytes.Contains(origin.text, want.text) {
		s.By = ByFirst
		p.res.Sections = append(p.res.Sections, s)
		return nil
	}
	ref := p.refs[l.Section.Ref]
	if ref == "" {
		ref = l.Section.Ref
	}
	reply, err := p.request(ctx, "tools/call", p.sectionCall(l, ref))
	if err != nil {
		return err
	}
	if err := p.readEvents(ctx, l); err != nil {
		return err
	}
	p.compare(l, reply)
	got := read(reply)
	found := !got.isError && (!isContent || bytes.Contains(got.text, want.text))
	if found || p.res.IsRecorder {
		s.Tokens += p.addRead(got.text)
	}
	if !isContent {
		return nil
	}
	s.By = BySection
	if !found {
		if s.By, err = p.readRange(ctx, &s, l, ref, want.text); err != nil {
			return err
		}
	}
	p.res.Sections = append(p.res.Sections, s)
	return nil
}

// callForSection plays a call that asked the server and was answered by a section of the
// result. Other proxymodels first answer it in their way, because they may not have the
// section.
func (p *player) callForSection(ctx context.Context, index int, l *recording.Line) error {
	if !p.res.IsRecorder {
		whole := *l
		whole.Arguments, whole.Reply = withoutSection(l.Arguments), l.Upstream
		if err := p.call(ctx, index, &whole); err != nil {
			return err
		}
		return p.readSection(ctx, l)
	}
	if err := p.call(ctx, index, l); err != nil {
		return err
	}
	if text := read(l.Reply).text; isContent(l.Section.Kind) {
		p.res.Sections = append(p.res.Sections, Section{Tool: l.Label, Section: l.Section.Section, Bytes: position(l.Section), Size: len(text),
			Tokens: abi.EstimateTokens(text), By: BySection})
	}
	return nil
}

// withoutSection returns arguments without the one that requests a section.
func withoutSection(args json.RawMessage) json.RawMessage {
	fields := make(map[string]json.RawMessage)
	_ = json.Unmarshal(args, &fields) // the reader has checked them
	delete(fields, "_section")
	out, _ := json.Marshal(fields) // raw values that were decoded
	return out
}

// sectionCall returns the params of the call that reads the recorded section.
func (p *player) sectionCall(l *recording.Line, ref string) any {
	if !l.IsRead() && p.res.IsRecorder {
		return p.params(l)
	}
	return sectionParams(ref, l.Section.Section)
}

func sectionParams(ref, section string) any {
	return map[string]any{"name": "read_section", "arguments": map[string]string{"ref": ref, "section": section}}
}

// isContent reports whether an answer of read_section is bytes of the original.
func isContent(kind flow.AnswerKind) bool {
	return kind == flow.AnswerLeaf || kind == flow.AnswerDecoded
}

// position returns where a section is in the original, nil if that is not known.
func position(s *recording.Section) *[2]int {
	if s.Kind == flow.AnswerDecoded {
		return s.Literal
	}
	return s.Bytes
}

// addRead counts an answer of read_section and returns its tokens.
func (p *player) addRead(text []byte) int {
	tokens := abi.EstimateTokens(text)
	p.res.Reads++
	p.res.ReadTokens += tokens
	p.res.Bytes += len(text)
	return tokens
}

// readRange reads a section by its range in the original, in several pieces if it is
// large, and reports whether it has the recorded bytes.
func (p *player) readRange(ctx context.Context, s *Section, l *recording.Line, ref string, want []byte) (by string, err error) {
	if s.Bytes == nil {
		return Unreachable, nil
	}
	var all []byte
	for at := s.Bytes[0]; at < s.Bytes[1]; {
		end := min(at+p.maxRange, s.Bytes[1])
		reply, err := p.request(ctx, "tools/call", sectionParams(ref, fmt.Sprintf("!%d-%d", at, end)))
		if err != nil {
			return "", err
		}
		got := read(reply)
		if got.isError || len(got.text) == 0 {
			return Unreachable, p.readEvents(ctx, l)
		}
		s.Tokens += p.addRead(got.text)
		all = append(all, got.text...)
		at += len(got.text) // a piece ends at a character
	}
	if err := p.readEvents(ctx, l); err != nil {
		return "", err
	}
	if bytes.Equal(all, want) || l.Section.Kind == flow.AnswerDecoded && hasDecoded(all, want) {
		return ByRange, nil
	}
	return Unreachable, nil
}
