package object

import "encoding/json"

// ClientEntry is the Server as an entry of a client's configuration file, for
// projects whose client starts the servers itself. References stay references:
// the client fills them in.
func (s *Server) ClientEntry() (json.RawMessage, error) {
	var p pairs
	if !s.Spec.URL.IsZero() {
		p = p.add("type", text("http")).add("url", text(s.Spec.URL.source()))
		p = p.addIf(len(s.Spec.Headers) > 0, "headers", templateMap(s.Spec.Headers, asWritten))
		return p.value().MarshalJSON()
	}
	p = p.add("type", text("stdio")).add("command", text(s.Spec.Command[0].source()))
	p = p.add("args", strs(asWritten.arguments(s.Spec.Command[1:])))
	p = p.addIf(len(s.Spec.Env) > 0, "env", templateMap(s.Spec.Env, asWritten))
	return p.value().MarshalJSON()
}
