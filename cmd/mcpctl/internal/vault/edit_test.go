package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/secret"
)

func always(string) bool { return true }

func writeSecrets(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A file that cannot be edited line by line is rejected and unchanged.
func TestSaveLeavesFlowMappings(t *testing.T) {
	for _, before := range []string{"{}\n", "{A: \"x\"}\n", "A: x\n...\n"} {
		home := t.TempDir()
		file := filepath.Join(home, secret.FileName)
		writeSecrets(t, file, before)
		v, err := Open(home)
		if err != nil {
			t.Fatal(err)
		}
		v.Put("s", "key", "gold")
		err = v.Save(home, always)
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(problem.From(err).Hint, file) {
			t.Errorf("%q: %v, want an invalid configuration and a hint", before, err)
		}
		if after, _ := os.ReadFile(file); string(after) != before {
			t.Errorf("%q becomes %q", before, after)
		}
		if err := v.Withdraw(home); err != nil {
			t.Errorf("Withdraw after Save has failed: %v", err)
		}
	}
}

// If two imports choose the same name, equal values are written once, and different values are a
// conflict.
func TestSaveAfterAnotherProcess(t *testing.T) {
	home := t.TempDir()
	save := func(values ...string) (vaults []*Vault, err error) {
		for _, value := range values {
			v, err := Open(home)
			if err != nil {
				t.Fatal(err)
			}
			v.Put("s", "key", value)
			vaults = append(vaults, v)
		}
		for _, v := range vaults {
			err = errors.Join(err, v.Save(home, always))
		}
		return vaults, err
	}
	check := func(want string) {
		t.Helper()
		if got, _ := os.ReadFile(filepath.Join(home, secret.FileName)); string(got) != want {
			t.Errorf("the file holds %q, want %q", got, want)
		}
	}
	equal, err := save("one", "one")
	if err != nil {
		t.Error(err)
	}
	check("S_KEY: \"one\"\n")
	if err := equal[1].Withdraw(home); err != nil {
		t.Error(err)
	}
	check("S_KEY: \"one\"\n") // written by the first import
	if _, err := save("two", "three"); !errors.Is(err, abi.ErrConflict) || strings.Contains(err.Error(), "three") {
		t.Errorf("one name with two values: %v, want a conflict", err)
	}
	check("S_KEY: \"one\"\nS_KEY_2: \"two\"\n")
}

func TestConcurrentSavesKeepAllSecrets(t *testing.T) {
	home := t.TempDir()
	const n = 8
	var saves sync.WaitGroup
	for i := range n {
		v, err := Open(home)
		if err != nil {
			t.Fatal(err)
		}
		v.Put(fmt.Sprint("server", i), "key", "gold")
		saves.Go(func() {
			if err := v.Save(home, always); err != nil {
				t.Error(err)
			}
		})
	}
	saves.Wait()
	secrets, err := secret.Load(home)
	if err != nil {
		t.Fatal(err)
	}
	known := secrets.Lookup(nil)
	for i := range n {
		if _, ok := known(fmt.Sprintf("SERVER%d_KEY", i)); !ok {
			t.Errorf("the secret of server %d is lost", i)
		}
	}
}

// If secrets.yaml is a symbolic link, its target is edited.
func TestEditFollowsLinks(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	target, link := filepath.Join(other, "private.yaml"), filepath.Join(home, secret.FileName)
	writeSecrets(t, target, "A: x\n")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	v, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	v.Put("s", "key", "gold")
	if err := v.Save(home, always); err != nil {
		t.Fatal(err)
	}
	if _, err := Remove(home, []string{"A"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is replaced: %v, %v", info, err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "S_KEY: \"gold\"\n" {
		t.Errorf("the target holds %q, %v", text, err)
	}

	if err := os.Remove(target); err != nil { // the target is not mounted
		t.Fatal(err)
	}
	v.Put("s", "other", "gold")
	if err := v.Save(home, always); !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), "is a link to") {
		t.Errorf("a link without its target: %v", err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Errorf("the link is replaced: %v", err)
	}
}
