package object

import (
	"embed"
	"fmt"
	"path"
	"sync"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// builtins are the ProxyModels that are part of the program. A mistake in one
// is a mistake in the program: the package's own test finds it.
var builtins = sync.OnceValue(func() map[Name]*ProxyModel {
	out := make(map[Name]*ProxyModel)
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		panic(fmt.Sprintf("object: built-in ProxyModels: %v", err))
	}
	for _, e := range entries {
		data, err := builtinFiles.ReadFile(path.Join("builtin", e.Name()))
		if err != nil {
			panic(fmt.Sprintf("object: %s: %v", e.Name(), err))
		}
		objects, _, err := Decode("built-in "+e.Name(), data)
		if err != nil {
			panic(fmt.Sprintf("object: %v", err))
		}
		for _, o := range objects {
			m := o.(*ProxyModel)
			m.builtIn = true
			out[m.Name()] = m
		}
	}
	return out
})
