package gate

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/outline"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	// maxSection is the limit of the parameter section, in bytes.
	maxSection = 4 << 10
	// maxPart is the size of a heading with its text that is sent whole. Of a longer one an
	// index is sent.
	maxPart = 8 << 10
	// maxWhole is the limit for a heading that is requested with "!".
	maxWhole = 40_000
	// maxListed and maxListedBytes limit a list of headings.
	maxListed, maxListedBytes = 24, 2 << 10
	// maxNear is the number of headings in the answer about a heading that does not exist.
	maxNear = 12
)

// readSection reads a section of the best match, even if that prompt was sent
// before, because the model asks for a part of it.
func readSection(c *controller.Ctx, prompts *match.List, keywords []string) error {
	span, _, _ := c.Input.JSON().Span("/section")
	section, err := c.Input.JSON().Text(span)
	if err != nil {
		return err
	}
	if section.Len() > maxSection {
		return c.Refuse(toolRead + ": section is longer than an id or a search can be")
	}
	found := match.Rank(prompts, keywords)
	if len(found) == 0 {
		return c.Refuse("no prompt matches " + strings.Join(keywords, ", ") + ": name the one to read in tags")
	}
	r := &sectionReader{Ctx: c, name: choosePrompt(prompts, found, keywords, section.String())}
	answer, err := r.read(section.String())
	var absent absentError
	switch {
	case errors.As(err, &absent):
		return c.Refuse(string(absent))
	case errors.Is(err, errNoRef):
		return c.Refuse("prompt " + r.name + " cannot be read by section now: ask for it with " + toolRead + `({"tags":["` + r.name + `"]})`)
	case errors.Is(err, stage.Denied):
		return c.Refuse("prompt " + r.name + " cannot be read:" + noGrant)
	case err != nil:
		c.Log.Info("prompt cannot be read", "prompt", r.name, "because", err.Error())
		return c.Refuse("prompt " + r.name + " cannot be read now")
	}
	if len(keywords) > 1 || keywords[0] != r.name { // the model did not say which
		answer = append(newRope("From "+r.name+", which matches best:\n"), answer...)
	}
	return firstError(answer.write(c.Answer), addTags(c, keywords))
}

// choosePrompt returns the name of the best match. If no keyword is its name, a match with a
// chapter of this title is better.
func choosePrompt(prompts *match.List, found []int, keywords []string, section string) string {
	const maxCompared = 32
	best := prompts.At(found[0])
	for _, k := range keywords {
		if k == best.Name {
			return best.Name
		}
	}
	if isHostSection(section) {
		return best.Name
	}
	for _, i := range found[:min(len(found), maxCompared)] {
		p := prompts.At(i)
		for _, chapter := range p.Chapters {
			if outline.IsNamed(chapter, section) {
				return p.Name
			}
		}
	}
	return best.Name
}

// isHostSection reports whether a section names no heading: the list of parts, a search
// in the whole text, or all of it.
func isHostSection(section string) bool {
	section = strings.TrimSpace(section)
	return section == "" || section[0] == '?' || section[0] == '!'
}

var errNoRef = errors.New("no ref")

// absentError is the answer for a section that does not exist.
type absentError string

func (e absentError) Error() string { return string(e) }

// sectionReader reads a section of one prompt.
type sectionReader struct {
	*controller.Ctx
	name     string
	stored   stage.Buf // its text
	text     []byte    // the bytes of stored
	headings []outline.Heading
}

// read returns a section. A heading is found in the text of the prompt, because a prompt
// that no stage has split has no sections, and a small section contains headings too. The
// exact name of a heading precedes the ids of the host, which include shortened and
// generated names; the beginning of a title follows them.
func (r *sectionReader) read(section string) (rope, error) {
	if isHostSection(section) {
		text, err := r.fetch(section)
		return quote(text), err
	}
	var err error
	if r.stored, err = r.PromptStored(r.name); err != nil {
		return nil, err
	}
	r.text = r.stored.Bytes()
	o := outline.Of(r.text)
	r.headings = o.Headings
	if found := o.Find(section); len(found) > 0 { // also a title that ends with "!" or "?"
		return r.answer(o, found, section, false)
	}
	name, isWhole := strings.CutSuffix(strings.TrimSpace(section), "!")
	if found := o.Find(name); isWhole && len(found) > 0 {
		return r.answer(o, found, name, true)
	}
	if found, base, word := findSearched(o, section); len(found) == 1 {
		hits, err := r.fetch(rangeOf(&r.headings[found[0]]) + "?" + word)
		return quote(hits), err
	} else if len(found) > 1 {
		return r.answer(o, found, base, false)
	}
	known, err := r.fetch(section)
	if err != nil {
		return nil, err
	}
	if !isAbsent(known) {
		return quote(known), nil
	}
	if found := o.Begins(name); len(found) > 0 {
		return r.answer(o, found, name, isWhole)
	}
	return nil, r.describeAbsent(o, name, known)
}

// findSearched returns the headings that TITLE?WORD searches, and its parts. A title may
// contain "?" or be shortened.
func findSearched(o *outline.Outline, section string) (found []int, title, word string) {
	for _, find := range []func(name string) []int{o.Find, o.Begins} {
		for at := strings.LastIndexByte(section, '?'); at > 0; at = strings.LastIndexByte(section[:at], '?') {
			title, word = section[:at], section[at+1:]
			if found = find(title); len(found) > 0 {
				return found, title, word
			}
		}
	}
	return nil, "", ""
}

// fetch reads a section through the host. It reads the whole text first, because the host
// creates a ref only then.
func (r *sectionReader) fetch(section string) (stage.Buf, error) {
	body, err := r.PromptBody(r.name)
	if err != nil {
		return stage.Buf{}, err
	}
	body.Free()
	if p := listPrompts(r.Ctx).Named(r.name); p != nil && p.Ref != "" {
		return r.Section(p.Ref, section)
	}
	return stage.Buf{}, errNoRef
}

// isAbsent reports whether the host answered that a section does not exist.
func isAbsent(text stage.Buf) bool {
	return strings.HasPrefix(readString(text, 64), `no section "`)
}

// answer returns the text of a heading, or a list of the headings that a name matches.
func (r *sectionReader) answer(o *outline.Outline, found []int, name string, isWhole bool) (rope, error) {
	if len(found) > 1 {
		head := strconv.Itoa(len(found)) + " headings of " + r.name + " match " + strconv.Quote(readable(name)) + ":\n"
		return newRope(head + r.list(found, maxListed)), nil
	}
	h := &r.headings[found[0]]
	limit := maxPart
	if isWhole {
		limit = maxWhole
	}
	if h.End-h.Start <= limit {
		part, err := r.stored.View(h.Start, h.End-h.Start)
		return quote(part), err
	}
	if isWhole || !o.HasParts(found[0]) {
		text, err := r.fetch(rangeOf(h))
		return quote(text), err
	}
	below := o.Below(found[0])
	intro := bytes.TrimRight(r.text[h.Start:min(r.headings[below[0]].Start, h.Start+maxPart)], " \t\r\n")
	list := strconv.Itoa(len(below)) + " headings below " + strconv.Quote(h.Title) + ", " + strconv.Quote(h.ID+"!") + " is all of it:\n" + r.list(below, maxListed)
	return joinParagraphs(newRope(strings.ToValidUTF8(string(intro), "")), newRope(list)), nil
}

// rangeOf returns the id of the bytes of a heading with its text.
func rangeOf(h *outline.Heading) string {
	return "~B" + strconv.Itoa(h.Start) + "-" + strconv.Itoa(h.End)
}

// list returns up to most headings as lines "[id] title (size)".
func (r *sectionReader) list(found []int, most int) string {
	var text strings.Builder
	shown := 0
	for _, i := range found {
		h := &r.headings[i]
		line := "[" + h.ID + "] " + h.Title + " (" + formatSize(h.End-h.Start) + ")\n"
		if shown == most || text.Len()+len(line) > maxListedBytes && shown > 0 {
			break
		}
		text.WriteString(line)
		shown++
	}
	if shown < len(found) {
		text.WriteString("... " + strconv.Itoa(len(found)-shown) + " more\n")
	}
	return text.String()
}

// formatSize returns a number of bytes as the host writes it in an index.
func formatSize(n int) string {
	if n < 1000 {
		return strconv.Itoa(n) + "B"
	}
	tenths := (n + 50) / 100
	if tenths >= 100 || tenths%10 == 0 {
		return strconv.Itoa((n+500)/1000) + "K"
	}
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10) + "K"
}

// describeAbsent returns the error for a heading that does not exist, with those that do.
func (r *sectionReader) describeAbsent(o *outline.Outline, name string, host stage.Buf) error {
	if len(r.headings) == 0 {
		return absentError(strings.TrimSpace(readString(host, maxListedBytes)) + "\n" + r.name + " has no headings: \"!\" reads all of it, \"?WORD\" searches it")
	}
	near := o.Nearest(name, maxNear)
	head := "no heading " + strconv.Quote(readable(name)) + " in " + r.name + ", which has:\n"
	if len(near) < len(r.headings) {
		head = "no heading " + strconv.Quote(readable(name)) + " in " + r.name + ", the nearest of its " + strconv.Itoa(len(r.headings)) + " headings:\n"
	}
	return absentError(head + strings.TrimSuffix(r.list(near, maxNear), "\n"))
}

// readable returns the start of a name that the model wrote.
func readable(name string) string {
	const most = 80
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "..."
}
