package fields

import (
	"strings"
	"testing"
)

func at(t *testing.T, path string) Field {
	t.Helper()
	names := strings.Split(path, ".")
	f, ok := Of(names[0])
	for _, n := range names[1:] {
		if ok {
			f, ok = f.Child(n)
		}
	}
	if !ok {
		t.Fatalf("no %s", path)
	}
	return f
}

func names(f Field) string {
	var list []string
	for _, c := range f.Children() {
		list = append(list, c.Name)
	}
	return strings.Join(list, " ")
}

func TestFieldsOfTheKinds(t *testing.T) {
	for path, want := range map[string]string{
		"proxymodel":             "kind metadata spec",
		"proxymodel.spec.stages": "config limits onFailure type",
		"server.spec.env":        "",
	} {
		if got := names(at(t, path)); got != want {
			t.Errorf("%s has %q, want %q", path, got, want)
		}
	}
	if f := at(t, "server.spec.env.ANY_NAME"); f.Type != "string or number or boolean" {
		t.Errorf("a variable is %s", f.Type)
	}
	if f := at(t, "project.spec.proxyMode"); !strings.Contains(f.Type, "direct") || f.Help == "" {
		t.Errorf("proxyMode: %+v", f)
	}
	if _, ok := Of("stage"); ok {
		t.Error("found fields of a stage, which has no file")
	}
	if _, ok := at(t, "server.spec").Child("nope"); ok {
		t.Error("found a field that does not exist")
	}
}

// A server has either a command or a url: both are described, and neither is required.
func TestFieldsOfAlternatives(t *testing.T) {
	for path, want := range map[string]string{"server.spec.command": "list of string", "server.spec.url": "string"} {
		f := at(t, path)
		if !strings.Contains(f.Type, want) || f.Required || f.Help == "" {
			t.Errorf("%s is %q, required %v, help %q", path, f.Type, f.Required, f.Help)
		}
	}
	if f := at(t, "proxymodel.spec.stages.type"); !f.Required {
		t.Error("the type of a stage is not required")
	}
}
