package object

// YAML prints a JSON text as block style YAML, keys in their order: what -o yaml
// shows of anything that is no Object. Numbers stay as they are written.
//
// Errors: those of ParseJSON.
func YAML(jsonText []byte) ([]byte, error) {
	v, err := ParseJSON(jsonText)
	if err != nil {
		return nil, err
	}
	if v.Type == Map && len(v.Fields) > 0 {
		return appendYAML(nil, v), nil
	}
	return append(appendFlow(nil, v), '\n'), nil
}
