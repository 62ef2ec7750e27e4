package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// The removal of the last writer with its seal, between two verifications, is found by the
// anchors of the first one, and only by them: no other row or seal names that writer.
func TestAnchorsShowRemovedWriter(t *testing.T) {
	const users = "kind: User\nmetadata: {name: admin}\n---\nkind: User\nmetadata: {name: eve}\n---\n" +
		"kind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: admin}], verbs: [admin]}\n"
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, users)
		admin := s.Token(t, "admin")
		if answer := s.Do(t, s.Token(t, "eve"), "GET", "/api/v1/backup", ""); answer.Status != 403 {
			t.Fatalf("eve: %d", answer.Status)
		}
		verify := func(anchors []audit.Anchor) (v audit.Verified, answer mcpdtest.Answer) {
			body, err := json.Marshal(map[string]any{"anchors": anchors})
			if err != nil {
				t.Fatal(err)
			}
			answer = s.Do(t, admin, "POST", "/api/v1/audit/verify", string(body))
			if answer.Status == 200 {
				answer.Decode(t, &v)
			}
			return v, answer
		}
		var before audit.Verified
		for range 500 { // the log is written in batches
			if before, _ = verify(nil); before.Writers == 2 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if before.Writers != 2 || len(before.Anchors) != 2 {
			t.Fatalf("before: %+v, want 2 writers", before)
		}
		if _, answer := verify(before.Anchors); answer.Status != 200 {
			t.Fatalf("unchanged: %d %s", answer.Status, answer.Body)
		}
		databasetest.Exec(t, address, "DELETE FROM audit WHERE writer = 'process test'")
		if _, answer := verify(nil); answer.Status != 422 || !strings.Contains(answer.Body, "were removed") {
			t.Errorf("rows without the seal: %d %s", answer.Status, answer.Body)
		}
		databasetest.Exec(t, address, "DELETE FROM audit_heads WHERE writer = 'process test'")
		if v, answer := verify(nil); answer.Status != 200 || v.Writers != 1 {
			t.Errorf("without anchors, which is not noticed: %d %s", answer.Status, answer.Body)
		}
		if _, answer := verify(before.Anchors); answer.Status != 422 || !strings.Contains(answer.Body, `the anchor row 1 of \"process test\" is missing`) {
			t.Errorf("with anchors: %d %s", answer.Status, answer.Body)
		}
	})
}
