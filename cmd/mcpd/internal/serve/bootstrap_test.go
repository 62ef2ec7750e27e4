package serve

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// A server whose only administrator was deleted or disabled can be recovered by its operator.
func TestBootstrapRecover(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	bootstrap := []string{"bootstrap", "--user", "anna", "--password-stdin"}
	if out, failure := command(t, home, bootstrap...); failure != "" || !strings.Contains(out, "created administrator anna") {
		t.Fatal(out, failure)
	}
	if _, failure := command(t, home, bootstrap...); !strings.Contains(failure, "has been bootstrapped") {
		t.Errorf("twice: %q", failure)
	}
	var last access.Caller // the last login
	canLogIn := func() bool {
		o := openHome(t, home)
		defer o.Close()
		a := access.Open(o.db, o.store)
		if err := a.Apply(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		_, c, err := a.Login(t.Context(), "anna", "correct horse battery staple", "127.0.0.1:1")
		last = c
		return err == nil && a.IsAdmin(c)
	}
	isRevoked := func(c access.Caller) bool {
		o := openHome(t, home)
		defer o.Close()
		changes, err := o.store.Changes(t.Context(), 0, 1000)
		return err == nil && access.IsRevoked(c, changes)
	}
	if !canLogIn() {
		t.Error("the first administrator cannot log in")
	}
	all := store.Write{Actor: "user anna", Authorize: func(object.Key, bool) error { return nil }}
	for name, damage := range map[string]func(o *opened) error{
		"disabled": func(o *opened) error {
			applyTo(t, o, "kind: User\nmetadata: {name: anna}\nspec: {disabled: true}\n")
			return nil
		},
		"deleted": func(o *opened) error {
			return o.store.Delete(t.Context(), all, object.Key{Kind: object.KindUser, Name: "anna"}, false)
		},
		"without a binding": func(o *opened) error {
			return o.store.Delete(t.Context(), all, object.Key{Kind: object.KindRbacBinding, Name: adminBinding}, false)
		},
		"not at all": func(*opened) error { return nil },
	} {
		before := last
		o := openHome(t, home)
		err := damage(o)
		o.Close()
		if err != nil {
			t.Fatal(err)
		}
		if out, failure := command(t, home, append(bootstrap, "--recover")...); failure != "" || !strings.Contains(out, "recovered administrator anna") {
			t.Errorf("%s: %s %s", name, out, failure)
		}
		if !isRevoked(before) {
			t.Errorf("%s: the feed does not report that the logins have ended", name)
		}
		if !canLogIn() {
			t.Errorf("%s: the recovered administrator cannot log in", name)
		}
	}
	if _, failure := command(t, home, "bootstrap", "--user", "bob", "--password-stdin", "--recover"); failure != "" || !canLogIn() {
		t.Errorf("after another user became one, the first is no administrator: %s", failure)
	}
}
