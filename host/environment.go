package host

import (
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// proxyVariables are the environment variables that configure proxies for HTTP
// requests.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"}

// DaemonEnvironment returns the variables that a daemon of the home needs: those
// that every server inherits, those of HTTP proxies, own, and the ones that the
// files of the home refer to by ${VAR} and passEnv. Files that cannot be read are
// skipped.
func DaemonEnvironment(home homedir.Dir, environ []string, own ...string) []string {
	return pickVariables(runtime.GOOS, environ, slices.Concat(ReferredVariables(home), proxyVariables, own))
}

// pickVariables returns the variables that every server inherits and the wanted
// ones.
func pickVariables(goos string, environ, wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !upstream.HasName(goos, wanted, name) && !upstream.IsInherited(goos, name)
	})
}

// ReferredVariables returns the names of the variables that servers and LLM
// providers of a home refer to, sorted and without duplicates.
func ReferredVariables(home homedir.Dir) []string {
	var names []string
	add := func(list []string) { names = append(names, list...) }
	if store, err := store.Open(string(home)); err == nil {
		defer store.Close()
		snapshot, _ := store.Load() // the daemon reports the problems
		for _, o := range snapshot.List(object.KindServer) {
			s := o.(*object.Server)
			add(s.Variables())
			add(s.Spec.PassEnv)
		}
	}
	add(providerVariables(home))
	slices.Sort(names)
	return slices.Compact(names)
}

// providerVariables returns the names of the variables that LLM providers of a home
// refer to.
func providerVariables(home homedir.Dir) (names []string) {
	settings, _, _ := llmconfig.Load(string(home)) // the daemon reports the error
	for _, p := range settings.Providers {
		names = append(names, p.APIKey.Variables()...)
		for _, value := range p.Env {
			names = append(names, value.Variables()...)
		}
	}
	return names
}
