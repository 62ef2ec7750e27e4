package toolchain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
)

// sdkPackage is what the SDKs of Rust and AssemblyScript are called.
const sdkPackage = "mcpctl-stage"

// SDK is what a folder in a language builds with and its version, both empty where no
// file says: C has a header alone, and Go's compiler writes it into the module.
func (l Language) SDK(dir string) (name, version string) {
	switch l {
	case Rust:
		version = lockedSDK(filepath.Join(dir, "Cargo.lock"))
	case AssemblyScript:
		version = packagedSDK(dir)
	}
	if version == "" {
		return "", ""
	}
	return sdkPackage, version
}

var lockedVersion = regexp.MustCompile(`(?m)^name = "` + sdkPackage + `"\r?\nversion = "([^"]+)"`)

// lockedSDK is the version that Cargo has settled on.
func lockedSDK(file string) string {
	b, _ := os.ReadFile(file) // one that is not there says nothing
	if m := lockedVersion.FindSubmatch(b); m != nil {
		return string(m[1])
	}
	return ""
}

// packagedSDK is the version of the package that asc imports: of a folder that
// asconfig.json names, or of the one that npm has linked.
func packagedSDK(dir string) string {
	var config struct {
		Options struct{ Path []string }
	}
	readJSON(filepath.Join(dir, "asconfig.json"), &config)
	for _, path := range append(config.Options.Path, "node_modules") {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		var p struct{ Version string }
		readJSON(filepath.Join(path, sdkPackage, "package.json"), &p)
		if p.Version != "" {
			return p.Version
		}
	}
	return ""
}

// readJSON reads what is there of a file: nothing, if it is not there or damaged.
func readJSON(file string, v any) {
	if b, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(b, v) // said above
	}
}
