// Package sdk contains the SDKs, which it unpacks into the home, so that a new stage builds
// without a network, and the templates of new stages.
package sdk

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

//go:generate go run ./gen -o go.zip ../../../../sdk-go
//go:generate go run ./gen -o rust.zip ../../../../sdk-rust
//go:generate go run ./gen -o assemblyscript.zip ../../../../sdk-assemblyscript
//go:generate go run ./gen -o c.zip ../../../../abi/c

var (
	//go:embed go.zip
	goZip []byte
	//go:embed rust.zip
	rustZip []byte
	//go:embed assemblyscript.zip
	assemblyScriptZip []byte
	//go:embed c.zip
	cZip []byte
)

// archives are the SDKs by language, and where their sources are in this repository.
var archives = map[toolchain.Language]struct {
	zip    []byte
	source string
}{
	toolchain.Go:             {goZip, "sdk-go"},
	toolchain.Rust:           {rustZip, "sdk-rust"},
	toolchain.AssemblyScript: {assemblyScriptZip, "sdk-assemblyscript"},
	toolchain.C:              {cZip, "abi/c"}, // C has a header and no SDK
}

// Unpack unpacks the SDK of a language below dir, the directory sdk of the home, and returns
// the path for build files. An existing one is used unchanged, because its name contains
// the hash of its content.
func Unpack(l toolchain.Language, dir string) (string, error) {
	return unpack(archives[l].zip, filepath.Join(dir, string(l)))
}

func unpack(archive []byte, dir string) (string, error) {
	sum := sha256.Sum256(archive)
	target := filepath.Join(dir, hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, ".new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := extract(archive, tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, target); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return target, nil
}

func extract(archive []byte, dir string) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	for _, f := range r.File {
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("archive holds %q", f.Name)
		}
		if err := extractFile(f, filepath.Join(dir, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

func extractFile(f *zip.File, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
