package team

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Limits of the objects of mcpd.
const (
	maxSnapshot = 64 << 20 // bytes of all objects
	maxObjects  = 10_000
	maxDepth    = 64 // of JSON
)

// wireObject is one object as mcpd sends it, and as it is kept on disk.
type wireObject struct {
	Kind     string          `json:"kind"`
	Project  string          `json:"project,omitempty"`
	Name     string          `json:"name"`
	Revision string          `json:"revision,omitempty"`
	Manifest json.RawMessage `json:"manifest"`
}

// wireSnapshot is the answer to GET /snapshot.
type wireSnapshot struct {
	Version string       `json:"version"`
	Objects []wireObject `json:"objects"`
}

// wireChange is the data of the event change.
type wireChange struct {
	Version string      `json:"version"`
	Op      string      `json:"op"`
	Kind    string      `json:"kind"`
	Project string      `json:"project"`
	Name    string      `json:"name"`
	Object  *wireObject `json:"object"`
}

const (
	opPut    = "put"
	opDelete = "delete"
)

// decodeStrict decodes one JSON value of limited depth. Unknown members are ignored, so that
// a newer mcpd can add some; manifests are decoded strictly later, each on its own.
func decodeStrict(data []byte, into any) error {
	if err := jsonspan.ValidUTF8(data); err != nil {
		return err
	}
	end, err := jsonspan.Scan(data, 0, jsonspan.Rules{MaxDepth: maxDepth})
	if err != nil {
		return err
	}
	if jsonspan.SkipBlank(data, end) != len(data) {
		return fmt.Errorf("%w: text after the JSON value", abi.ErrConfig)
	}
	return json.Unmarshal(data, into)
}

// parseVersion returns a version of mcpd, which is a decimal number.
func parseVersion(text string) (uint64, error) {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil || text[0] == '+' {
		return 0, fmt.Errorf("%w: %.40q is not a version", abi.ErrConfig, text)
	}
	return v, nil
}

// kinds are the Kinds that are used from mcpd. ProxyModels and stages are files; the other
// kinds of mcpd, such as users, concern mcpd alone.
var kinds = []object.Kind{object.KindServer, object.KindProject, object.KindPrompt, object.KindPromptRequest}

// keyOf returns the key of an object. ok is false for a kind that is not used.
//
// It returns abi.ErrConfig for a name that no object can have.
func keyOf(kind, project, name string) (key object.Key, ok bool, err error) {
	i := slices.IndexFunc(kinds, func(k object.Kind) bool { return strings.EqualFold(string(k), kind) })
	if i < 0 {
		return object.Key{}, false, nil
	}
	key = object.Key{Kind: kinds[i], Project: object.Name(project), Name: object.Name(name)}
	if err := key.Check(); err != nil {
		return object.Key{}, true, fmt.Errorf("%w: %s name %.80q %w", abi.ErrConfig, strings.ToLower(string(key.Kind)), name, err)
	}
	return key, true, nil
}

// decodeObject decodes the manifest of an object, which must have the key.
func decodeObject(key object.Key, manifest []byte) (object.Object, error) {
	if len(manifest) > strictyaml.MaxFileBytes {
		return nil, fmt.Errorf("%w: %s has %d bytes, limit %d", abi.ErrLimit, key, len(manifest), strictyaml.MaxFileBytes)
	}
	objects, _, err := object.Decode("", manifest)
	switch {
	case err != nil:
		return nil, err
	case len(objects) != 1 || objects[0].Key() != key:
		return nil, fmt.Errorf("%w: the manifest of %s is of another object", abi.ErrConfig, key)
	}
	return objects[0], nil
}
