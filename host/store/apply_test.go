package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

const canary = "canary-7f3a"

func decodeAll(t *testing.T, text string) []object.Object {
	t.Helper()
	objects, _, err := object.Decode("-", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func apply(t *testing.T, s *Store, text string) []Change {
	t.Helper()
	changes, err := s.Apply(decodeAll(t, text), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func readHome(t *testing.T, home, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(home, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestApply checks the actions. Each Object is in its file with mode 0600, comments are
// kept, and no other files remain.
func TestApply(t *testing.T) {
	s, home := openHome(t, nil)
	text := "# the files\nkind: Server\nmetadata: {name: files}   # short\nspec: {command: [npx]}\n---\n" +
		"{\"kind\":\"Project\",\"metadata\":{\"name\":\"home\"},\"spec\":{\"servers\":[\"files\"]}}\n---\n" +
		"kind: Prompt\nmetadata: {name: rules, project: home}\nspec: {content: \"be kind\\n\"}\n"
	for _, c := range apply(t, s, text) {
		if c.Action != Created || c.Before != nil || len(c.After) == 0 {
			t.Errorf("%s: %s, want created", c.Key, c.Action)
		}
	}
	if got := readHome(t, home, "servers/files.yaml"); got != "# the files\nkind: Server\nmetadata: {name: files}   # short\nspec: {command: [npx]}\n" {
		t.Errorf("comments are lost:\n%s", got)
	}
	if got := readHome(t, home, "projects/home.yaml"); !strings.HasPrefix(got, "kind: Project\nmetadata:\n  name: home\n") {
		t.Errorf("JSON was not converted to YAML:\n%s", got)
	}
	if got := readHome(t, home, "prompts/home/rules.md"); !strings.HasSuffix(got, "\n---\nbe kind\n") {
		t.Errorf("a prompt is not front matter and text:\n%s", got)
	}
	for _, c := range apply(t, s, text) {
		if c.Action != Unchanged {
			t.Errorf("%s again: %s, want unchanged", c.Key, c.Action)
		}
	}
	changes := apply(t, s, "kind: Server\nmetadata: {name: files}\nspec: {command: [npx], shared: true}\n")
	if len(changes) != 1 || changes[0].Action != Configured || !strings.Contains(string(changes[0].Before), "shared: false") {
		t.Errorf("changed server: %+v", changes)
	}
	if files, _ := s.Snapshot().Server("files"); !files.Spec.Shared {
		t.Error("Apply does not reload")
	}
	checkModes(t, home)
}

// checkModes checks that other users cannot read any file, and that no temporary file
// remains.
func checkModes(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := homedir.FileMode
		if d.IsDir() {
			want = homedir.DirMode
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		if strings.HasPrefix(d.Name(), ".") {
			t.Errorf("%s remains", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestApplyDryRunAndInvalidChanges(t *testing.T) {
	s, home := openHome(t, map[string]string{"prompts/home/l.md": "---\nspec: {linkTarget: \"a/b:c\"}\n---\n"})
	changes, err := s.Apply(decodeAll(t, serverYAML("a")), ApplyOptions{DryRun: true})
	if err != nil || len(changes) != 1 || changes[0].Action != Created {
		t.Errorf("dry run: %v, %v", changes, err)
	}
	if _, err := os.Stat(filepath.Join(home, "servers/a.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a dry run wrote a file")
	}
	twice := append(decodeAll(t, serverYAML("a")), decodeAll(t, serverYAML("a"))...)
	if _, err := s.Apply(twice, ApplyOptions{}); !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), "is given twice") {
		t.Errorf("the same object twice: %v", err)
	}
	link := decodeAll(t, serverYAML("a")+"---\nkind: Prompt\nmetadata: {name: l, project: home}\nspec: {linkTarget: \"a/b:d\"}\n")
	if _, err := s.Apply(link, ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "hint: mcpctl delete prompt l --project home") {
		t.Errorf("changed link: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "servers/a.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a refused apply wrote its first object")
	}
}

// Objects that only a team server stores are refused, before anything is written.
func TestTeamObjectsAreRefused(t *testing.T) {
	s, home := openHome(t, nil)
	for _, doc := range []string{
		"kind: User\nmetadata: {name: config}\n", "kind: Group\nmetadata: {name: config}\n", "kind: ServiceAccount\nmetadata: {name: config}\n",
		"kind: RbacBinding\nmetadata: {name: config}\nspec: {subjects: [{user: a}], verbs: [view]}\n",
	} {
		for _, dryRun := range []bool{true, false} {
			_, err := s.Apply(decodeAll(t, serverYAML("a")+"---\n"+doc), ApplyOptions{DryRun: dryRun})
			if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), ` "config" belongs to a team server`) {
				t.Errorf("%s\ndry run %v: %v", doc, dryRun, err)
			}
		}
	}
	for _, file := range []string{"servers/a.yaml", "config.yaml", "config.md"} {
		if _, err := os.Stat(filepath.Join(home, file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was written", file)
		}
	}
}

// Apply replaces a broken file, in place, even if the new text equals the Object that is
// still active.
func TestApplyRepairsBrokenFile(t *testing.T) {
	s, home := openHome(t, map[string]string{"servers/a.yaml": serverYAML("a"), "prompts/home/p.yaml": "kind: ["})
	s.Load()
	writeHome(t, home, "servers/a.yaml", "kind: [")
	if c := apply(t, s, serverYAML("a")); c[0].Action != Configured {
		t.Errorf("server: %s, want configured", c[0].Action)
	}
	if c := apply(t, s, "kind: Prompt\nmetadata: {name: p, project: home}\nspec: {content: x}\n"); c[0].Action != Configured || c[0].File != "prompts/home/p.yaml" {
		t.Errorf("prompt: %+v", c[0])
	}
	if _, problems := s.Load(); len(problems) > 0 {
		t.Errorf("still broken: %v", problems)
	}
}

// The output of get -o yaml contains no credential, and applying it loses none.
func TestMaskedOutputCanBeApplied(t *testing.T) {
	s, home := openHome(t, nil)
	apply(t, s, "kind: Server\nmetadata: {name: a}\nspec: {command: [x], env: {TOKEN: "+canary+", REF: \"p-${V}\"}}\n")
	a, _ := s.Snapshot().Server("a")
	printed := string(object.EncodeYAML(a))
	if strings.Contains(printed, canary) || !strings.Contains(printed, "***") {
		t.Fatalf("prints:\n%s", printed)
	}
	if c := apply(t, s, printed); c[0].Action != Unchanged {
		t.Errorf("the printed text: %s, want unchanged", c[0].Action)
	}
	before := a.Revision()
	if c := apply(t, s, strings.Replace(printed, "shared: false", "shared: true", 1)); c[0].Action != Configured {
		t.Errorf("edited: %s, want configured", c[0].Action)
	}
	if got := readHome(t, home, "servers/a.yaml"); !strings.Contains(got, canary) || !strings.Contains(got, `"p-${V}"`) || !strings.Contains(got, "shared: true") {
		t.Errorf("the file lost something:\n%s", got)
	}
	if now, _ := s.Snapshot().Server("a"); now.Revision() == before {
		t.Error("the revision does not show the change")
	}
	for _, bad := range []string{
		strings.Replace(printed, "TOKEN", "OTHER", 1),
		strings.Replace(printed, "${V}", "${W}", 1),
		strings.Replace(printed, "name: a", "name: b", 1),
	} {
		if _, err := s.Apply(decodeAll(t, bad), ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "is a placeholder for a stored value") {
			t.Errorf("a mask without a stored value: %v\n%s", err, bad)
		}
	}
}

func TestDelete(t *testing.T) {
	s, home := openHome(t, map[string]string{
		"servers/a.yaml":           serverYAML("a"),
		"servers/broken.yaml":      "kind: [",
		"projects/p.yaml":          "kind: Project\nmetadata: {name: p}\nspec: {servers: [a], proxyModel: default}\n",
		"proxymodels/default.yaml": "kind: ProxyModel\nmetadata: {name: default}\nspec: {stages: []}\n",
		"secrets.yaml":             "A: b\n",
	})
	d, err := s.Delete(object.Key{Kind: object.KindServer, Name: "a"})
	if err != nil || len(d.UsedBy) != 1 || d.UsedBy[0] != "p" || d.Files[0] != "servers/a.yaml" {
		t.Errorf("used server: %+v, %v", d, err)
	}
	if _, ok := s.Snapshot().Server("a"); ok {
		t.Error("the server was not deleted")
	}
	if _, err := s.Delete(object.Key{Kind: object.KindServer, Name: "broken"}); err != nil {
		t.Errorf("broken file: %v", err)
	}
	d, err = s.Delete(object.Key{Kind: object.KindProxyModel, Name: "default"})
	if err != nil || !d.BuiltIn || len(d.UsedBy) != 0 {
		t.Errorf("local model over a built-in: %+v, %v", d, err)
	}
	if _, err = s.Delete(object.Key{Kind: object.KindProxyModel, Name: "default"}); !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "built in") {
		t.Errorf("built-in model: %v", err)
	}
	if _, err = s.Delete(object.Key{Kind: object.KindProject, Name: "q"}); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("unknown project: %v", err)
	}
	for _, key := range []object.Key{
		{Kind: object.KindServer, Name: "../secrets"}, {Kind: object.KindServer, Project: "..", Name: "secrets"},
		{Kind: object.KindPrompt, Name: "a"}, {Kind: object.KindPrompt, Project: "../..", Name: "a"}, {Kind: "", Name: "secrets"},
		{Kind: object.KindUser, Name: "secrets"},
	} {
		if _, err := s.Delete(key); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("Delete(%+v): %v, want abi.ErrConfig", key, err)
		}
	}
	if got := readHome(t, home, "secrets.yaml"); got != "A: b\n" {
		t.Error("the secrets file was changed")
	}
}

// The query of a URL may contain credentials.
func TestQueryOfURLIsMasked(t *testing.T) {
	s, home := openHome(t, nil)
	apply(t, s, "kind: Server\nmetadata: {name: a}\nspec: {url: \"https://h/mcp?key="+canary+"&user=${U}\"}\n")
	a, _ := s.Snapshot().Server("a")
	printed := string(object.EncodeYAML(a))
	if strings.Contains(printed, canary) || !strings.Contains(printed, "https://h/mcp?***${U}") {
		t.Fatalf("prints:\n%s", printed)
	}
	if c := apply(t, s, strings.Replace(printed, "shared: false", "shared: true", 1)); c[0].Action != Configured {
		t.Errorf("edited: %s, want configured", c[0].Action)
	}
	if got := readHome(t, home, "servers/a.yaml"); !strings.Contains(got, "key="+canary+"&user=${U}") || !strings.Contains(got, "shared: true") {
		t.Errorf("the file lost something:\n%s", got)
	}
	other := strings.Replace(printed, "https://h/", "https://elsewhere/", 1)
	if _, err := s.Apply(decodeAll(t, other), ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "url") || strings.Contains(err.Error(), canary) {
		t.Errorf("a stored key is used for another URL: %v", err)
	}
}

// The error of a disk is not abi.ErrUnavailable, so that a command exits with 1 or 4 and
// not with 6.
func TestDiskErrorIsNotUnavailable(t *testing.T) {
	s, home := openHome(t, nil)
	dir := filepath.Join(home, "servers")
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	changes, err := s.Apply(decodeAll(t, "kind: Server\nmetadata: {name: files}\nspec: {command: [npx]}\n"), ApplyOptions{})
	if err == nil || errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "servers/files.yaml: ") || len(changes) > 0 {
		t.Errorf("changes %v, err %v", changes, err)
	}
	for _, c := range []struct {
		cause  error
		denied bool
	}{{syscall.ENOSPC, false}, {syscall.EIO, false}, {syscall.EACCES, true}, {syscall.EPERM, true}} {
		if err := homedir.DiskError("x", c.cause); errors.Is(err, abi.ErrDenied) != c.denied || !errors.Is(err, c.cause) || errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("%v becomes %v", c.cause, err)
		}
	}
}

// Credentials in arguments are masked in the output and restored when it is applied.
func TestArgumentsArePrintedMasked(t *testing.T) {
	home := t.TempDir()
	s, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(yaml string) (Change, error) {
		objects, _, err := object.Decode("a.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Apply(objects, ApplyOptions{})
		if err != nil {
			return Change{}, err
		}
		return done[0], nil
	}
	if _, err := put("kind: Server\nmetadata: {name: a}\nspec: {command: [npx, srv, --token, " + canary + ", '--root=/x']}"); err != nil {
		t.Fatal(err)
	}
	snap, _ := s.Load()
	a, _ := snap.Server("a")
	shown := string(object.EncodeYAML(a))
	if strings.Contains(shown, canary) || !strings.Contains(shown, credential.Mask) || !strings.Contains(shown, "--root=/x") {
		t.Errorf("printed as\n%s", shown)
	}
	if done, err := put(shown); err != nil || done.Action != Unchanged {
		t.Errorf("the printed server is %s, %v; want unchanged", done.Action, err)
	}
	if _, err := put(strings.Replace(shown, "--root=/x", "--root=/y", 1)); err != nil {
		t.Fatal(err)
	}
	snap, _ = s.Load()
	a, _ = snap.Server("a")
	if got := a.Spec.Command; got[3].Source() != canary || got[4].Source() != "--root=/y" {
		t.Errorf("a change beside a credential lost it: %d arguments", len(got))
	}
	if _, err := put(strings.Replace(shown, "name: a", "name: b", 1)); err == nil {
		t.Error("*** without a stored value is accepted")
	}
}
