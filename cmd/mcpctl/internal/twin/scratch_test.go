package twin

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestMain is the test, or a process that makes a scratch and is killed.
func TestMain(m *testing.M) {
	if os.Getenv("TWIN_TO_BE_KILLED") == "" {
		os.Exit(m.Run())
	}
	s, err := newScratch()
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(s.dir)
	os.Stdout.Close()
	select {}
}

// killed runs a process that makes a scratch, and kills it.
func killed(t *testing.T) (dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TWIN_TO_BE_KILLED=yes")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := out.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return string(b[:n])
}

// A killed process leaves a directory, which the next one removes. Directories that are in
// use, or may belong to another program, stay.
func TestFilesOfKilledProcessAreRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	left := killed(t)
	secret := filepath.Join(t.TempDir(), "secrets.yaml")
	if err := os.WriteFile(secret, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(left, "secrets.yaml")); err != nil {
		t.Fatal(err)
	}
	used, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what the killed process left is still there")
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}

	made := func(name string, mode os.FileMode, holds string) {
		dir := filepath.Join(tmp, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if holds != "" {
			if err := os.WriteFile(filepath.Join(dir, holds), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	made("another", 0o700, scratchLock)
	made(scratchPrefix+"open-to-others", 0o755, scratchLock)
	made(scratchPrefix+"without-a-lock", 0o700, "work.txt")
	made(scratchPrefix+"empty", 0o700, "")
	target := t.TempDir()
	if err := os.Symlink(target, filepath.Join(tmp, scratchPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, scratchLock), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stay := []string{"another", filepath.Base(used.dir), scratchPrefix + "link", scratchPrefix + "open-to-others", scratchPrefix + "without-a-lock"}
	slices.Sort(stay)
	sweep(tmp, time.Now())
	wantNames(t, tmp, append([]string{scratchPrefix + "empty"}, stay...))
	sweep(tmp, time.Now().Add(unlocked+time.Second))
	wantNames(t, tmp, stay)
	if err := used.remove(); err != nil {
		t.Error(err)
	}
}

func wantNames(t *testing.T, dir string, want []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("in the folder are\n%q, want\n%q", got, want)
	}
}
