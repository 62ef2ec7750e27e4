package event

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// WriteSSE writes one Event as a server-sent event with ID, type and JSON on one line.
// A client that reconnects sends the ID as Last-Event-ID, so that Subscribe can
// continue there.
func WriteSSE(w io.Writer, e Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("id: " + strconv.FormatUint(e.ID, 10) + "\nevent: ")
	b.WriteString(toOneLine(string(e.Type)))
	b.WriteString("\ndata: ")
	b.Write(data)
	b.WriteString("\n\n")
	_, err = w.Write(b.Bytes())
	return err
}

// toOneLine replaces line ends, so that an unknown type cannot forge a field.
func toOneLine(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == 0 {
			return '_'
		}
		return r
	}, []byte(s)))
}

// WriteKeepAlive writes a comment, which keeps proxies from closing the stream.
func WriteKeepAlive(w io.Writer) error {
	_, err := io.WriteString(w, ": keep-alive\n\n")
	return err
}
