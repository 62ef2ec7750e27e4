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

// builtins are the ProxyModels and the system prompts that are part of the
// program. A mistake in one is a mistake in the program: the package's own test
// finds it.
var builtins = sync.OnceValue(func() map[Key]Object {
	out := make(map[Key]Object)
	err := fs.WalkDir(builtinFiles, "builtin", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := builtinFiles.ReadFile(file)
		if err != nil {
			return err
		}
		o, err := decodeBuiltin(file, data)
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

// HasBuiltIn reports whether an Object of that key is part of the program, hidden
// by a local one or not.
func HasBuiltIn(key Key) bool { return builtins()[key] != nil }

func decodeBuiltin(file string, data []byte) (Object, error) {
	shown := "built-in " + path.Base(file)
	stem, isPrompt := strings.CutSuffix(path.Base(file), ".md")
	if isPrompt {
		o, errs := decodePromptFile(shown, data, Key{KindPrompt, SystemProject, Name(stem)})
		return o, errs.Err()
	}
	objects, _, err := Decode(shown, data)
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}

// builtinsOf are the built-ins of a Kind that no local Object hides.
func (s *Snapshot) builtinsOf(kind Kind) []Object {
	if kind != KindProxyModel && kind != KindPrompt {
		return nil
	}
	var out []Object
	for key, o := range builtins() {
		if _, local := s.objects[key]; !local && key.Kind == kind {
			out = append(out, o)
		}
	}
	return out
}
