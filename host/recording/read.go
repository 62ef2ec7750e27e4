package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Recording is the content of a file.
type Recording struct {
	Header    Header
	Exchanges []Line
	Tools     []Tool // the last known ones of all servers
	Dropped   int    // exchanges that were not written
	End       string // why the recording ended early; empty otherwise
	Truncated bool   // the last line is incomplete and was ignored
}

// Parse reads a recording. name is the file in errors.
//
// An incomplete last line is ignored, because a process may have been killed while it
// wrote it. Everything else that is not valid is an error.
//
// Errors: abi.ErrConfig with file and line.
func Parse(name string, data []byte) (*Recording, error) {
	r := &Recording{}
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if !whole && !json.Valid(line) && n > 1 {
			r.Truncated = true
			break
		}
		if err := r.add(line, n); err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %v", abi.ErrConfig, name, n, err)
		}
	}
	if r.Header.Format == 0 {
		return nil, fmt.Errorf("%w: %s:1: is empty, want a recording of mcpctl", abi.ErrConfig, name)
	}
	return r, nil
}

func (r *Recording) add(line []byte, n int) error {
	if n == 1 {
		return r.readHeader(line)
	}
	if r.End != "" {
		return errors.New("there is a line after the end")
	}
	if bytes.HasPrefix(line, []byte(`{"tools":`)) || bytes.HasPrefix(line, []byte(`{"dropped":`)) || bytes.HasPrefix(line, []byte(`{"end":`)) {
		var v note
		if err := decode(line, &v); err != nil {
			return err
		}
		if v.Tools != nil {
			r.Tools = v.Tools
		}
		r.Dropped, r.End = r.Dropped+v.Dropped, v.End
		return nil
	}
	l, err := readLine(line)
	r.Exchanges = append(r.Exchanges, l)
	return err
}

func (r *Recording) readHeader(line []byte) error {
	var version struct {
		Format *int `json:"mcpctlRecording"`
	}
	err := json.Unmarshal(line, &version)
	switch {
	case err != nil || version.Format == nil:
		return errors.New("is not the first line of a recording of mcpctl")
	case *version.Format != Format:
		return fmt.Errorf("has format %d, this version of mcpctl reads %d", *version.Format, Format)
	}
	if err := decode(line, &r.Header); err != nil {
		return err
	}
	if r.Header.Project == "" || len(r.Header.Spec) == 0 {
		return errors.New("names no project")
	}
	return nil
}

func readLine(line []byte) (l Line, err error) {
	var v struct {
		Line
		raws
	}
	if err := decode(line, &v); err != nil {
		return l, err
	}
	l = v.Line
	if l.Method == "" {
		return l, errors.New("method is missing")
	}
	if l.Upstream, err = readReply(v.Result, v.ResultText, v.ResultError, v.ResultErrorText); err != nil {
		return l, fmt.Errorf("result: %w", err)
	}
	if v.AnswerSHA256 != "" {
		if string(fmtHash(l.Upstream.Result)) != `"`+v.AnswerSHA256+`"` {
			return l, errors.New("answerSha256 is not the hash of the result: the line was changed")
		}
		l.Reply = flow.Reply{Result: l.Upstream.Result}
		return l, nil
	}
	if l.Reply, err = readReply(v.Answer, v.AnswerText, v.AnswerError, v.AnswerErrorText); err != nil {
		return l, fmt.Errorf("answer: %w", err)
	}
	return l, nil
}

// readReply returns the one value that is set.
func readReply(result json.RawMessage, resultText string, failure json.RawMessage, failureText string) (r flow.Reply, err error) {
	if resultText != "" {
		result = json.RawMessage(resultText)
	}
	if failureText != "" {
		failure = json.RawMessage(failureText)
	}
	switch {
	case result != nil && failure != nil:
		return r, errors.New("is both a result and an error")
	case result != nil && !json.Valid(result), failure != nil && !json.Valid(failure):
		return r, errors.New("is not valid JSON")
	}
	return flow.Reply{Result: result, Error: failure}, nil
}

// decode reads one JSON object strictly.
func decode(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("contains more than one JSON value")
	}
	return nil
}
