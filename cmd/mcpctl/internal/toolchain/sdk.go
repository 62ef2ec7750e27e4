package toolchain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
)

// sdkPackage is the name of the SDKs of Rust and AssemblyScript.
const sdkPackage = "mcpctl-stage"

// SDK returns the SDK that a directory uses and its version. Both are empty if no file
// contains them: C has only a header, and Go's compiler writes them into the module.
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
	b, _ := os.ReadFile(file) // a missing file contains no version
	if m := lockedVersion.FindSubmatch(b); m != nil {
		return string(m[1])
	}
	return ""
}

// packagedSDK returns the version of the package that asc imports, from a directory in
// asconfig.json or from the one that npm linked.
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

// readJSON decodes a file into v. If the file is missing or invalid, v is unchanged or incomplete.
func readJSON(file string, v any) {
	if b, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(b, v) // an error is ignored on purpose
	}
}
