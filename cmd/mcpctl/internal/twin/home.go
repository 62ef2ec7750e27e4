package twin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/secret"
)

// written are the directories of a home that people and installations write. Stored
// answers, originals and the key of refs are not included: a session begins without them.
var written = []string{"servers", "projects", "proxymodels", "prompts", "promptrequests", "stages"}

// maxLevels is the depth to which the directories of a home are read: prompts/PROJECT/FILE.
// It also ends loops of links.
const maxLevels = 3

// copyHome creates a home with the objects and the approvals of another one. The caller
// removes it.
//
// Secrets are linked and not copied, so that no copy of them can be left on disk.
// Compiled code is linked too, because it is the same for all homes of a version.
func copyHome(from string) (home *scratch, err error) {
	if home, err = newScratch(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = home.remove() // the first error is the news
		}
	}()
	dir := homedir.Dir(from)
	for _, name := range append(written, homedir.SettingsFile, filepath.Base(dir.ToolsLock()), filepath.Base(dir.StagesLock())) {
		if err := copyTree(filepath.Join(from, name), filepath.Join(home.dir, name), maxLevels); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{secret.FileName, filepath.Join("cache", "wasm")} {
		if err := link(filepath.Join(from, name), filepath.Join(home.dir, name)); err != nil {
			return nil, err
		}
	}
	return home, nil
}

// copyTree copies a file, or a directory and its content, readable by the owner only.
// Links are followed; missing and special files are skipped.
func copyTree(from, to string, levels int) error {
	info, err := os.Stat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist) || levels == 0:
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		b, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o600)
	case !info.IsDir():
		return nil
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), levels-1); err != nil {
			return err
		}
	}
	return nil
}

// link creates a link to an existing file.
func link(from, to string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Symlink(from, to)
}
