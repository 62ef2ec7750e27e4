package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
)

// openHome creates a home with files and opens it.
func openHome(t *testing.T, files map[string]string) (*Store, string) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := Prepare(home); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		writeHome(t, home, file, text)
	}
	s, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, home
}

func writeHome(t *testing.T, home, file, text string) {
	t.Helper()
	path := filepath.Join(home, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func serverYAML(name string) string {
	return "kind: Server\nmetadata: {name: " + name + "}\nspec: {command: [npx]}\n"
}

// wantProblem checks that there is exactly one Problem, and that its text contains a
// string.
func wantProblem(t *testing.T, problems []Problem, file, text string) Problem {
	t.Helper()
	if len(problems) != 1 {
		t.Fatalf("%d problems %v, want one about %s", len(problems), problems, file)
	}
	p := problems[0]
	if p.File != file || !strings.Contains(p.Err.Error(), text) {
		t.Errorf("problem of %s: %v\nwant one of %s with: %s", p.File, p.Err, file, text)
	}
	return p
}

// The built-in models are valid and listed. A local file of the same name hides one.
func TestBuiltInModels(t *testing.T) {
	s, home := openHome(t, nil)
	snap, problems := s.Load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := snap.Names(object.KindProxyModel); !slices.Equal(got, []string{"compress", "default", "enhance", "subindex", "summarize", "summarize+index", "ungated", "ungated-subindex"}) {
		t.Errorf("built-in models are %v", got)
	}
	for alias, name := range map[object.Name]object.Name{"gated": "default", "index": "subindex", "default": "default"} {
		m, ok := snap.ProxyModel(alias)
		if !ok || m.Name() != name || !m.IsBuiltIn() {
			t.Errorf("%s is %v, want the built-in %s", alias, m, name)
		}
	}
	if _, ok := snap.ProxyModel("nope"); ok {
		t.Error("unknown model found")
	}

	writeHome(t, home, "proxymodels/default.yaml", "kind: ProxyModel\nmetadata: {name: default}\nspec: {controller: none, stages: []}\n")
	writeHome(t, home, "proxymodels/index.yaml", "kind: ProxyModel\nmetadata: {name: index}\nspec: {controller: none, stages: []}\n")
	snap, _ = s.Load()
	for _, name := range []object.Name{"default", "gated", "index"} {
		if m, ok := snap.ProxyModel(name); !ok || m.IsBuiltIn() {
			t.Errorf("%s is still built in", name)
		}
	}
	if n := len(snap.List(object.KindProxyModel)); n != 9 {
		t.Errorf("%d models listed, want 9", n)
	}
}

// A broken file keeps the previous Object; a deleted file removes it.
func TestBrokenFileKeepsPreviousObject(t *testing.T) {
	s, home := openHome(t, map[string]string{"servers/a.yaml": serverYAML("a"), "servers/b.yaml": serverYAML("b")})
	first, problems := s.Load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	old, _ := first.Server("a")

	writeHome(t, home, "servers/a.yaml", "kind: Server\nmetadata: {name: a}\nspec: {comand: [npx]}\n")
	second, problems := s.Load()
	if p := wantProblem(t, problems, "servers/a.yaml", `did you mean "command"?`); !p.Kept || p.Warning {
		t.Errorf("problem %+v, want kept", p)
	}
	if now, ok := second.Server("a"); !ok || now != old {
		t.Error("the previous object is not active")
	}
	if second.Revision() == first.Revision() {
		t.Error("the revision does not show the changed file")
	}
	_, problems = s.Load()
	wantProblem(t, problems, "servers/a.yaml", "comand")

	writeHome(t, home, "servers/a.yaml", serverYAML("a"))
	third, problems := s.Load()
	if len(problems) > 0 || third.Revision() != first.Revision() {
		t.Errorf("after the repair: %v, revision %s, want %s", problems, third.Revision(), first.Revision())
	}
	if _, ok := first.Server("b"); !ok {
		t.Error("snapshot lost an object")
	}
	if err := os.Remove(filepath.Join(home, "servers/b.yaml")); err != nil {
		t.Fatal(err)
	}
	fourth, _ := s.Load()
	if _, ok := fourth.Server("b"); ok {
		t.Error("a removed file still serves")
	}
	if _, ok := third.Server("b"); !ok {
		t.Error("an older snapshot changed")
	}
}

func TestUnchangedFilesAreNotParsedAgain(t *testing.T) {
	s, _ := openHome(t, map[string]string{
		"servers/a.yaml":  serverYAML("a"),
		"projects/p.yaml": "kind: Project\nmetadata: {name: p}\nspec: {proxyMode: filtered, servers: [a]}\n",
	})
	one, problems := s.Load()
	p := wantProblem(t, problems, "projects/p.yaml", "write proxy")
	if !p.Warning || p.Kept {
		t.Errorf("problem %+v, want a warning", p)
	}
	two, problems := s.Load()
	wantProblem(t, problems, "projects/p.yaml", "write proxy")
	a, _ := one.Server("a")
	b, _ := two.Server("a")
	if a != b || one.Revision() != two.Revision() {
		t.Error("an unchanged file was parsed again")
	}
}

func TestProblemsOfInvalidFiles(t *testing.T) {
	for _, c := range []struct{ rule, file, text, want string }{
		{"other name than the file", "servers/a.yaml", serverYAML("b"), `server "b" is in the file of server "a"`},
		{"kind of another directory", "projects/a.yaml", serverYAML("a"), "servers/a.yaml"},
		{"kind of a team server", "servers/a.yaml", "kind: User\nmetadata: {name: a}\n", `user "a" belongs to a team server`},
		{"two documents", "servers/a.yaml", serverYAML("a") + "---\n" + serverYAML("b"), "file contains 2 documents, want one"},
		{"empty", "servers/a.yaml", "# nothing\n", "file is empty"},
		{"invalid file name", "servers/A.yaml", serverYAML("a"), `name "A" starts with 'A'`},
		{"yml", "servers/a.yml", serverYAML("a"), "name it a.yaml"},
		{"prompt without project", "prompts/a.md", "text", "prompts/PROJECT/a.md"},
		{"invalid project name", "prompts/Home", "", `name "Home" starts with 'H'`},
		{"front matter without end", "prompts/home/a.md", "---\nspec: {priority: 3}\ntext", "front matter has no closing --- line"},
		{"a field at the top and in spec", "prompts/home/a.md", "---\nspec: {priority: 3}\npriority: 6\n---\ntext", "priority is at the top level and in spec, want one of the two"},
		{"a bad value at the top", "prompts/home/a.md", "---\npriority: 60\n---\ntext", "(prompts/home/a.md:2:11)"},
		{"a typo at the top", "prompts/home/a.md", "---\nprioritty: 6\n---\ntext", "(prompts/home/a.md:2:1)"},
		{"content in front matter", "prompts/home/a.md", "---\nspec: {content: a}\n---\ntext", "content is in the front matter"},
		{"other name in front matter", "prompts/home/a.md", "---\nmetadata: {name: b}\n---\ntext", `metadata.name is "b", but the path of the file has "a"`},
		{"not UTF-8", "prompts/home/a.md", "text\n\xff", "(prompts/home/a.md:2:1)"},
		{"control character in front matter", "prompts/home/a.md", "---\nspec: \x01\n---\ntext", "(prompts/home/a.md:2:7)"},
		{"typo in front matter", "prompts/home/a.md", "---\nspec:\n  prioritty: 3\n---\ntext", `(prompts/home/a.md:3:3)`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			file := c.file
			if c.text == "" { // a directory: add a file to it
				file += "/x.md"
			}
			s, _ := openHome(t, map[string]string{file: c.text})
			snap, problems := s.Load()
			p := wantProblem(t, problems, c.file, c.want)
			if p.Kept || p.Warning {
				t.Errorf("problem %+v, want neither kept nor warning", p)
			}
			if len(snap.objects) != 0 {
				t.Errorf("loaded objects: %v", snap.objects)
			}
		})
	}
	s, _ := openHome(t, map[string]string{"servers/.a.yaml.tmp": "x", "servers/a.yaml~": "x", "servers/#a.yaml#": "x", "servers/README": "x", "servers/note.md": "x"})
	if _, problems := s.Load(); len(problems) > 0 {
		t.Errorf("editors' files are read: %v", problems)
	}
}

func TestPromptFile(t *testing.T) {
	body := "# Rules\r\n\f\n---\ntext  \nlast"
	s, home := openHome(t, map[string]string{
		"prompts/home/plain.md":                     body,
		"prompts/home/front.md":                     "---\nkind: Prompt\nmetadata: {name: front, project: home}\nspec:\n  priority: 8\n---\n" + body,
		"prompts/home/link.md":                      "---\nspec: {linkTarget: \"sys/docs:docmost://x\"}\n---\n",
		"prompts/home/y.yaml":                       "kind: Prompt\nmetadata: {name: y, project: home}\nspec: {content: abc}\n",
		"promptrequests/home/idea.yaml":             "kind: PromptRequest\nmetadata: {name: idea, project: home}\nspec: {content: abc}\n",
		"prompts/mcpctl-system/session-greeting.md": "hi",
	})
	snap, problems := s.Load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := make(map[object.Name]*object.Prompt)
	for _, p := range snap.Prompts("home") {
		got[p.Name()] = p
	}
	if len(got) != 4 || got["plain"].Spec.Content != body || got["plain"].Spec.Priority != object.DefaultPriority {
		t.Errorf("plain file reads as %+v", got["plain"].Spec)
	}
	if got["front"].Spec.Content != body || got["front"].Spec.Priority != 8 {
		t.Errorf("front matter reads as %+v", got["front"].Spec)
	}
	if project, server, uri, ok := got["link"].Link(); !ok || project != "sys" || server != "docs" || uri != "docmost://x" {
		t.Errorf("link is %q %q %q %v", project, server, uri, ok)
	}
	for _, p := range got {
		back, err := object.DecodePrompt(p.File(), p.Key(), object.EncodePrompt(p))
		if err != nil || !object.HasSameContent(p, back) {
			t.Errorf("%s does not come back from its file: %v", p.Key(), err)
		}
	}
	writeHome(t, home, "prompts/home/plain.yaml", "kind: Prompt\nmetadata: {name: plain, project: home}\nspec: {content: abc}\n")
	_, problems = s.Load()
	wantProblem(t, problems, "prompts/home/plain.yaml", "is also in prompts/home/plain.md")
}

// Links out of a directory and files that are not regular are rejected.
func TestLinksAndDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	outside := filepath.Join(t.TempDir(), "out.yaml")
	if err := os.WriteFile(outside, []byte(serverYAML("out")), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ target, want string }{
		"absolute, out of the home":        {outside, "out.yaml is a symbolic link to a file outside its directory"},
		"relative, out of the home":        {"../../../" + filepath.Base(outside), "to a file outside its directory"},
		"to another directory of the home": {"../secrets.yaml", "to a file outside its directory"},
		"to itself":                        {"out.yaml", ""},
		"to a directory":                   {".", "is not a regular file"},
		"dangling":                         {"gone.yaml", "or to no file"},
	} {
		t.Run(name, func(t *testing.T) {
			s, home := openHome(t, map[string]string{"secrets.yaml": "A: b\n"})
			if err := os.Symlink(c.target, filepath.Join(home, "servers", "out.yaml")); err != nil {
				t.Fatal(err)
			}
			snap, problems := s.Load()
			wantProblem(t, problems, "servers/out.yaml", c.want)
			if _, ok := snap.Server("out"); ok {
				t.Error("loaded through the link")
			}
		})
	}
	t.Run("inside the directory", func(t *testing.T) {
		s, home := openHome(t, map[string]string{"servers/.real": serverYAML("a")})
		if err := os.Symlink(".real", filepath.Join(home, "servers", "a.yaml")); err != nil {
			t.Fatal(err)
		}
		if snap, problems := s.Load(); len(problems) > 0 || len(snap.List(object.KindServer)) != 1 {
			t.Errorf("a link inside the directory is rejected: %v", problems)
		}
	})
	t.Run("directory that leads out of the home", func(t *testing.T) {
		s, home := openHome(t, nil)
		if err := os.Remove(filepath.Join(home, "servers")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Dir(outside), filepath.Join(home, "servers")); err != nil {
			t.Fatal(err)
		}
		snap, problems := s.Load()
		wantProblem(t, problems, "servers", "escapes")
		if len(snap.objects) > 0 {
			t.Error("loaded from outside")
		}
	})
}

// Missing references are reported with suggestions. The project stays active.
func TestDangling(t *testing.T) {
	s, _ := openHome(t, map[string]string{
		"servers/files.yaml": serverYAML("files"),
		"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec:\n  servers: [files, flies]\n  proxyModel: subindx\n  proxyModelOverrides: {prompts: {a: gated}}\n",
	})
	snap, _ := s.Load()
	errs := snap.Dangling()
	if len(errs) != 2 {
		t.Fatalf("got %v, want two", errs)
	}
	for _, want := range []string{`project "home": servers[1] "flies" not found, did you mean "files"?`, `proxyModel "subindx" not found, did you mean "subindex"?`, "(projects/home.yaml:4:20)"} {
		if !strings.Contains(errs.Error(), want) {
			t.Errorf("got:\n%v\nwant text: %s", errs, want)
		}
	}
	if users := snap.UsedBy(object.Key{Kind: object.KindServer, Name: "files"}); len(users) != 1 || users[0].Name() != "home" {
		t.Errorf("files is used by %v", users)
	}
}

func TestUsedByFollowsAliases(t *testing.T) {
	s, _ := openHome(t, map[string]string{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: index}\n"})
	snap, _ := s.Load()
	target := object.Name("subindex")
	if users := snap.UsedBy(object.Key{Kind: object.KindProxyModel, Name: target}); len(users) != 1 {
		t.Errorf("%s is used by %v, want home, which names its alias", target, users)
	}
	if users := snap.UsedBy(object.Key{Kind: object.KindServer, Name: target}); len(users) != 0 {
		t.Errorf("a server of that name is used by %v", users)
	}
}

// The link of a prompt must refer to a server of an existing project.
func TestDanglingLinks(t *testing.T) {
	files := map[string]string{
		"servers/docs.yaml":    serverYAML("docs"),
		"projects/public.yaml": "kind: Project\nmetadata: {name: public}\nspec: {servers: [docs]}\n",
	}
	for name, target := range map[string]string{"good": "public/docs:docs://a", "far": "publik/docs:docs://a", "odd": "public/dogs:docs://a"} {
		files["prompts/public/"+name+".md"] = "---\nspec:\n  linkTarget: " + target + "\n---\n"
	}
	s, _ := openHome(t, files)
	snap, problems := s.Load()
	errs := snap.Dangling()
	if len(errs) != 2 || len(problems) > 0 {
		t.Fatalf("got %v and %v, want two references", errs, problems)
	}
	for _, want := range []string{
		`prompt "public/far": linkTarget project "publik" not found, did you mean "public"?`, "(prompts/public/far.md:3:15)",
		`prompt "public/odd": linkTarget project "public" has no server "dogs", did you mean "docs"?`,
	} {
		if !strings.Contains(errs.Error(), want) {
			t.Errorf("got:\n%v\nwant text: %s", errs, want)
		}
	}
}

// A file that is deleted while its directory is read keeps its Object until the next
// load.
func TestFileDeletedDuringLoad(t *testing.T) {
	s, home := openHome(t, map[string]string{"servers/files.yaml": serverYAML("files")})
	s.Load()
	dir, entries, err := openDir(s.root, "servers")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Remove(filepath.Join(home, "servers", "files.yaml")); err != nil {
		t.Fatal(err)
	}
	l := newLoader(s.Snapshot())
	l.loadFile(dir, object.KindServer, "", "servers", entries[0])
	if _, kept := l.objects[object.Key{Kind: object.KindServer, Name: "files"}]; len(l.problems) > 0 || !kept {
		t.Errorf("problems %v, kept %v", l.problems, kept)
	}
	if snap, problems := s.Load(); len(problems) > 0 || len(snap.List(object.KindServer)) > 0 {
		t.Errorf("%v, %v", problems, snap.List(object.KindServer))
	}
}

// A link without a target has no prompts and is reported.
func TestDanglingProjectDirectory(t *testing.T) {
	home := t.TempDir()
	if err := Prepare(home); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", filepath.Join(home, "prompts", "home")); err != nil {
		t.Fatal(err)
	}
	s, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snap, problems := s.Load()
	if len(snap.Prompts("home")) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Err.Error(), "prompts/home is a link whose target does not exist") {
		t.Errorf("%d prompts, problems %v", len(snap.Prompts("home")), problems)
	}
}

// Fields of the spec may be at the top level of the front matter.
func TestFieldsAtTopOfFrontMatter(t *testing.T) {
	for rule, front := range map[string]string{
		"at the top": "priority: 6\nsummary: Rooms.\nchapters: [a, b]\n",
		"in spec":    "spec: {priority: 6, summary: Rooms., chapters: [a, b]}\n",
		"some each":  "summary: Rooms.\nspec: {priority: 6}\nchapters: [a, b]\n",
		"empty spec": "spec:\npriority: 6\nsummary: Rooms.\nchapters: [a, b]\n",
	} {
		o, err := object.DecodePrompt("a.md", object.Key{Kind: object.KindPrompt, Project: "home", Name: "a"}, []byte("---\n"+front+"---\nText.\n"))
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		if got := o.(*object.Prompt).Spec; got.Priority != 6 || got.Summary != "Rooms." || strings.Join(got.Chapters, " ") != "a b" || got.Content != "Text.\n" {
			t.Errorf("%s: %+v", rule, got)
		}
	}
	o, err := object.DecodePrompt("a.md", object.Key{Kind: object.KindPrompt, Project: "home", Name: "a"}, []byte("---\nlinkTarget: public/docs:docs://a\n---\n"))
	if err != nil || o.(*object.Prompt).Spec.LinkTarget != "public/docs:docs://a" {
		t.Errorf("a link: %+v, %v", o, err)
	}
}
