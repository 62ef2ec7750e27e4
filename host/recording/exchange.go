package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Exchange is one finished request of a client.
type Exchange struct {
	Scope   flow.Scope
	Client  string // name and version at initialize
	Request uint64 // as in events
	Time    time.Time
	Took    time.Duration
	Waited  time.Duration // the part of Took that was spent waiting for servers

	Method string
	Label  string // server/tool, server/prompt, URI or read_section
	Args   []byte // JSON as the client sent it; may be nil
	Hint   string // path or URI among the arguments

	// Of a call that a controller sent on to another tool.
	Called     string // the called tool
	RoutedArgs []byte // the arguments for the other tool

	Upstream flow.Reply // of the server; empty if no server was asked, or filters read its answer
	// Filtered returns the server's result after the filters, if they read it. ok is false
	// if it is not known: the result is then left out. It is called by the writer.
	Filtered func() (raw []byte, ok bool)
	Refs     []string   // of the stored Originals
	Reply    flow.Reply // that the client received

	IsError bool
	Error   string // as the client received it
	Hold    string // outcome of a hold: released, edited, dropped, expired, cancelled
}

// size returns the bytes that the exchange keeps in memory.
func (x *Exchange) size() int64 {
	const fixed = 512
	return int64(fixed + len(x.Args) + len(x.RoutedArgs) + len(x.Upstream.Result) + len(x.Upstream.Error) + len(x.Reply.Result) + len(x.Reply.Error))
}

// Line is a recorded Exchange.
type Line struct {
	Request        uint64          `json:"request,omitempty"`
	Time           time.Time       `json:"time"`
	Method         string          `json:"method"`
	Label          string          `json:"label,omitempty"`     // server/tool, server/prompt, URI or read_section
	Arguments      json.RawMessage `json:"arguments,omitempty"` // without spaces between tokens
	Masked         bool            `json:"masked,omitempty"`    // credentials in the arguments were masked
	Hint           string          `json:"hint,omitempty"`
	Called         string          `json:"called,omitempty"`
	RoutedArgs     json.RawMessage `json:"routedArguments,omitempty"`
	Section        *Section        `json:"section,omitempty"` // the answer is a section of a stored result
	Refs           []string        `json:"refs,omitempty"`
	Micros         int64           `json:"micros,omitempty"`
	UpstreamMicros int64           `json:"upstreamMicros,omitempty"`
	IsError        bool            `json:"isError,omitempty"`
	Error          string          `json:"error,omitempty"`
	Hold           string          `json:"hold,omitempty"`
	Withheld       bool            `json:"withheld,omitempty"` // the server's result after the filters is not known

	Upstream flow.Reply `json:"-"` // of the server, after the filters
	Reply    flow.Reply `json:"-"` // that the client received
}

// Section is a section that a client read.
type Section struct {
	Ref     string          `json:"ref"`
	Section string          `json:"section"`
	Kind    flow.AnswerKind `json:"kind,omitempty"`
	Bytes   *[2]int         `json:"bytes,omitempty"`   // [start, end) of the original, or of the decoded string
	Literal *[2]int         `json:"literal,omitempty"` // of a decoded string: [start, end) in the original
}

// newLine returns an Exchange as it is written.
func newLine(x *Exchange) Line {
	l := Line{Request: x.Request, Time: x.Time.UTC(), Method: x.Method, Label: credential.MaskText(x.Label), Hint: credential.MaskText(x.Hint), Called: x.Called,
		Refs: x.Refs, Micros: x.Took.Microseconds(), UpstreamMicros: x.Waited.Microseconds(), IsError: x.IsError, Error: x.Error, Hold: x.Hold,
		Upstream: x.Upstream, Reply: x.Reply}
	if x.Filtered != nil {
		raw, ok := x.Filtered()
		if l.Upstream, l.Withheld = (flow.Reply{}), !ok; ok {
			l.Upstream.Result = raw
		}
	}
	var routedMasked bool
	l.Arguments, l.Masked = maskJSON(x.Args)
	l.RoutedArgs, routedMasked = maskJSON(x.RoutedArgs)
	l.Masked = l.Masked || routedMasked || l.Label != x.Label
	l.Section = sectionOf(x)
	return l
}

// sectionOf returns the section in the answer of an exchange, nil if the answer is none.
func sectionOf(x *Exchange) *Section {
	if x.Method != "tools/call" || x.Reply.Result == nil {
		return nil
	}
	var args struct {
		Ref     string          `json:"ref"`
		Section json.RawMessage `json:"section"`
		Inline  json.RawMessage `json:"_section"`
	}
	_ = json.Unmarshal(x.Args, &args) // checked before the call was answered
	if x.Label != readSection && args.Inline == nil {
		return nil
	}
	var answer struct {
		Meta flow.AnswerMeta `json:"_meta"`
	}
	_ = json.Unmarshal(x.Reply.Result, &answer)
	s := &Section{Ref: args.Ref, Section: textOf(args.Section), Kind: answer.Meta.Kind, Bytes: answer.Meta.Bytes, Literal: answer.Meta.Literal}
	if x.Label != readSection {
		if answer.Meta.Kind == "" || answer.Meta.Ref == "" {
			return nil // the whole result
		}
		s.Ref, s.Section = answer.Meta.Ref, textOf(args.Inline)
	}
	return s
}

// readSection is the tool of the host that reads sections.
const readSection = "read_section"

// textOf returns a section given as text or as a number.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// IsRead reports whether the exchange is a call of read_section.
func (l *Line) IsRead() bool { return l.Method == "tools/call" && l.Label == readSection }

// raws are the raw JSON values of a line. A value that contains a line break is written
// as a text.
type raws struct {
	Result          json.RawMessage `json:"result,omitempty"`
	ResultText      string          `json:"resultText,omitempty"`
	ResultError     json.RawMessage `json:"resultError,omitempty"`
	ResultErrorText string          `json:"resultErrorText,omitempty"`
	Answer          json.RawMessage `json:"answer,omitempty"`
	AnswerText      string          `json:"answerText,omitempty"`
	AnswerError     json.RawMessage `json:"answerError,omitempty"`
	AnswerErrorText string          `json:"answerErrorText,omitempty"`
	AnswerSHA256    string          `json:"answerSha256,omitempty"` // the answer equals the result
}

// encode returns the line as JSON without a line break.
func (l Line) encode() ([]byte, error) {
	out, err := marshal(l)
	if err != nil {
		return nil, err
	}
	out = appendRaw(out, "result", l.Upstream.Result)
	out = appendRaw(out, "resultError", l.Upstream.Error)
	if l.Upstream.Result != nil && bytes.Equal(l.Upstream.Result, l.Reply.Result) {
		return appendMember(out, "answerSha256", fmtHash(l.Reply.Result)), nil
	}
	out = appendRaw(out, "answer", l.Reply.Result)
	return appendRaw(out, "answerError", l.Reply.Error), nil
}

// marshal is json.Marshal that does not escape < > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func fmtHash(b []byte) []byte {
	sum := sha256.Sum256(b)
	return []byte(`"` + hex.EncodeToString(sum[:]) + `"`)
}

// appendRaw adds a raw value to a JSON object byte for byte, so that it is read as it
// was. encoding/json would remove its spaces.
func appendRaw(object []byte, name string, raw []byte) []byte {
	switch {
	case raw == nil:
		return object
	case bytes.ContainsAny(raw, "\r\n"):
		text, _ := marshal(string(raw)) // never fails for a string
		return appendMember(object, name+"Text", text)
	}
	return appendMember(object, name, raw)
}

func appendMember(object []byte, name string, value []byte) []byte {
	out := append(object[:len(object)-1], `,"`...)
	out = append(append(out, name...), `":`...)
	return append(append(out, value...), '}')
}
