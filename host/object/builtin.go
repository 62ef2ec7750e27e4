package object

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed builtin/*.yaml builtin/mcpctl-system/*.md
var builtinFiles embed.FS

// BuiltIns returns the ProxyModels and the system prompts that are part of the program.
// The caller must not modify the map. The tests of this package check that the files
// are valid.
var BuiltIns = sync.OnceValue(func() map[Key]Object {
	out := make(map[Key]Object)
	err := fs.WalkDir(builtinFiles, "builtin", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := builtinFiles.ReadFile(file)
		if err != nil {
			return err
		}
		o, err := decodeBuiltIn(file, data)
		if err != nil {
			return err
		}
		o.head().builtIn = true
		out[o.Key()] = o
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("object: built-ins: %v", err))
	}
	return out
})

// HasBuiltIn reports whether the program contains an Object of that key. A local Object
// may hide it.
func HasBuiltIn(key Key) bool { return BuiltIns()[key] != nil }

func decodeBuiltIn(file string, data []byte) (Object, error) {
	shown := "built-in " + path.Base(file)
	if stem, isPrompt := strings.CutSuffix(path.Base(file), ".md"); isPrompt {
		return DecodePrompt(shown, Key{KindPrompt, SystemProject, Name(stem)}, data)
	}
	objects, _, err := Decode(shown, data)
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}
