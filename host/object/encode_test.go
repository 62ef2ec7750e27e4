package object

import (
	"strings"
	"testing"
)

func TestRevisionIsNotStored(t *testing.T) {
	text := "# a comment\nkind: Project\nmetadata: {name: p, revision: \"7\"}\nspec: {servers: []}\n"
	objects, _, err := Decode("p.yaml", []byte(text))
	if err != nil || objects[0].Base() != "7" {
		t.Fatalf("got %v, %v", objects, err)
	}
	o := objects[0]
	manifest, err := EncodeJSON(o)
	for name, stored := range map[string]string{"JSON": string(manifest), "YAML": string(EncodeYAML(o)), "file": string(EncodeFile(o, ".yaml"))} {
		if err != nil || strings.Contains(stored, "revision") || !strings.Contains(stored, "servers") {
			t.Errorf("%s: %s, %v", name, stored, err)
		}
	}
	edited, err := EncodeRevision(o, "8")
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := Decode("p.json", edited)
	if err != nil || again[0].Base() != "8" || !HasSameContent(o, again[0]) {
		t.Errorf("decoded again: %s, %v", edited, err)
	}
	if _, _, err := Decode("p.yaml", []byte(strings.Replace(text, `"7"`, "7", 1))); err == nil || !strings.Contains(err.Error(), "revision") {
		t.Errorf("a number: %v", err)
	}
}
