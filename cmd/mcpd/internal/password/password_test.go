package password

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/argon2"

	"github.com/mcpctl/mcpctl/abi"
)

// cheap is a cost for tests that compute many hashes.
var cheap = cost{memory: 64, passes: 1, threads: 1}

const good = "correct horse battery"

func TestHashHasTheRecommendedCostAndVerifies(t *testing.T) {
	h := New(Options{})
	phc, err := h.Hash(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(phc, "$argon2id$v=19$m=65536,t=3,p=4$") {
		t.Errorf("the hash is %s", phc)
	}
	for password, want := range map[string]bool{good: true, good + " ": false, strings.ToUpper(good): false, "": false} {
		ok, rehash, err := h.Verify(t.Context(), phc, password)
		if ok != want || rehash || err != nil {
			t.Errorf("Verify(%q) = %v, rehash %v, %v, want %v", password, ok, rehash, err, want)
		}
	}
}

// The vector was computed with the reference implementation, argon2 of Debian:
// echo -n 'correct horse battery' | argon2 somesalt12345678 -id -k 1024 -t 2 -p 2 -l 32 -e
func TestVerifyAcceptsHashesOfTheReferenceImplementation(t *testing.T) {
	const phc = "$argon2id$v=19$m=1024,t=2,p=2$c29tZXNhbHQxMjM0NTY3OA$KGzZ09tOWVDyXUGCrGeESa+wK+tqpIpdIFwOiIFevTQ"
	ok, rehash, err := New(Options{}).Verify(t.Context(), phc, good)
	if !ok || !rehash || err != nil {
		t.Errorf("Verify = %v, rehash %v, %v", ok, rehash, err)
	}
}

func TestHashesOfOnePasswordDiffer(t *testing.T) {
	h := newHasher(Options{}, cheap)
	seen := make(map[string]bool)
	for range 20 {
		phc, err := h.Hash(t.Context(), good)
		if err != nil || seen[phc] {
			t.Fatalf("hash %s is a repetition, %v", phc, err)
		}
		seen[phc] = true
	}
}

func TestVerifyAsksForANewHashOfWeakerOnes(t *testing.T) {
	h := newHasher(Options{}, cost{memory: 128, passes: 2, threads: 2})
	for name, c := range map[string]struct {
		cost      cost
		salt, key int
		want      bool
	}{
		"the same":                    {cost{128, 2, 2}, 16, 32, false},
		"less memory":                 {cost{64, 2, 2}, 16, 32, true},
		"fewer passes":                {cost{128, 1, 2}, 16, 32, true},
		"a shorter salt":              {cost{128, 2, 2}, 8, 32, true},
		"a shorter key":               {cost{128, 2, 2}, 16, 16, true},
		"more of all, of a later one": {cost{256, 3, 4}, 32, 64, false},
		"other threads only":          {cost{128, 2, 1}, 16, 32, false},
	} {
		r := record{cost: c.cost, salt: make([]byte, c.salt)}
		r.key = argon2.IDKey([]byte(good), r.salt, c.cost.passes, c.cost.memory, c.cost.threads, uint32(c.key))
		ok, rehash, err := h.Verify(t.Context(), r.String(), good)
		if !ok || rehash != c.want || err != nil {
			t.Errorf("%s: ok %v, rehash %v, %v", name, ok, rehash, err)
		}
		if ok, rehash, err := h.Verify(t.Context(), r.String(), "another password"); ok || rehash || err != nil {
			t.Errorf("%s: a wrong password: ok %v, rehash %v, %v", name, ok, rehash, err)
		}
	}
}

// An unknown user, a damaged row and a known user take the memory of a hash: each waits
// while the memory is in use, and none after it is free.
func TestUnknownUsersTakeAHashToo(t *testing.T) {
	h := newHasher(Options{}, cheap)
	phc, err := h.Hash(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		phc  string
		want error
	}{"known": {phc, nil}, "unknown": {"", nil}, "damaged": {"$argon2id$", abi.ErrConfig}} {
		synctest.Test(t, func(t *testing.T) {
			if !h.memory.TryAcquire(h.budget) {
				t.Fatal("memory is in use")
			}
			done := make(chan error)
			go func() {
				ok, _, err := h.Verify(t.Context(), c.phc, "another password")
				if ok {
					err = errors.New("accepted")
				}
				done <- err
			}()
			synctest.Wait()
			if n := h.waiting.Load(); n != 1 {
				t.Errorf("%s: %d calls wait, want 1", name, n)
			}
			h.memory.Release(h.budget)
			if err := <-done; !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		})
	}
	if !h.memory.TryAcquire(h.budget) {
		t.Error("memory is not released")
	}
}

func TestUnknownUserMatchesNoPassword(t *testing.T) {
	h := newHasher(Options{}, cheap)
	for _, password := range []string{"", good, strings.Repeat("x", maxBytes), strings.Repeat("x", maxBytes+1)} {
		if ok, rehash, err := h.Verify(t.Context(), "", password); ok || rehash || err != nil {
			t.Errorf("Verify(%.20q) = %v, rehash %v, %v", password, ok, rehash, err)
		}
	}
}

func TestTooManyWaitingCallsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(Options{Waiting: 3}, cheap)
		if !h.memory.TryAcquire(h.budget) {
			t.Fatal("memory is in use")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		results := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := h.Hash(ctx, good)
				results <- err
			}()
		}
		synctest.Wait()

		_, err := h.Hash(t.Context(), good)
		if !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "limit 3") {
			t.Errorf("Hash: %v", err)
		}
		if _, _, err := h.Verify(t.Context(), "", good); !errors.Is(err, abi.ErrLimit) {
			t.Errorf("Verify: %v", err)
		}
		cancel()
		for range 3 {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("a call whose context ended: %v", err)
			}
		}
		h.memory.Release(h.budget)
		if _, err := h.Hash(t.Context(), good); err != nil {
			t.Errorf("after the queue: %v", err)
		}
		if n := h.waiting.Load(); n != 0 {
			t.Errorf("%d calls are counted as waiting", n)
		}
	})
}

func TestEndedContextStartsNoHash(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newHasher(Options{}, cheap).Hash(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// A row may require more memory than the budget: it is computed alone.
func TestHashLargerThanTheBudgetIsComputedAlone(t *testing.T) {
	h := newHasher(Options{MemoryMiB: 1}, cheap)
	r := record{cost: cost{memory: 2 << 10, passes: 1, threads: 1}, salt: make([]byte, saltBytes)}
	r.key = argon2.IDKey([]byte(good), r.salt, 1, 2<<10, 1, keyBytes)
	ok, _, err := h.Verify(t.Context(), r.String(), good)
	if !ok || err != nil {
		t.Errorf("Verify = %v, %v", ok, err)
	}
}

func TestParseRefusesDamagedHashes(t *testing.T) {
	salt, key := encoding.EncodeToString(make([]byte, 16)), encoding.EncodeToString(make([]byte, 32))
	of := func(params string) string { return "$argon2id$v=19$" + params + "$" + salt + "$" + key }
	if _, err := parse(of("m=65536,t=3,p=4")); err != nil {
		t.Fatal(err)
	}
	bytes := func(n int) string { return encoding.EncodeToString(make([]byte, n)) }
	for name, c := range map[string]struct{ text, want string }{
		"empty":                   {"", "no PHC string"},
		"plain text":              {"hunter2hunter2", "no PHC string"},
		"cut after the salt":      {"$argon2id$v=19$m=65536,t=3,p=4$" + salt, "no PHC string"},
		"one part more":           {of("m=65536,t=3,p=4") + "$", "no PHC string"},
		"text before it":          {"x" + of("m=65536,t=3,p=4"), "no PHC string"},
		"argon2i":                 {strings.Replace(of("m=65536,t=3,p=4"), "argon2id", "argon2i", 1), `algorithm is "argon2i"`},
		"bcrypt":                  {"$2b$12$" + strings.Repeat("a", 53) + "$$", `algorithm is "2b"`},
		"version 16":              {strings.Replace(of("m=65536,t=3,p=4"), "v=19", "v=16", 1), `version is "v=16"`},
		"no version":              {"$argon2id$m=65536,t=3,p=4$" + salt + "$" + key + "$", `version is "m=65536,t=3,p=4"`},
		"4 TiB":                   {of("m=4294967295,t=3,p=4"), "m is 4294967295, want 1 to 262144"},
		"memory over the limit":   {of("m=262145,t=3,p=4"), "m is 262145"},
		"memory of 33 bits":       {of("m=4295032832,t=3,p=4"), "not m= with a number"},
		"no memory":               {of("m=0,t=3,p=4"), "m is 0"},
		"memory for few threads":  {of("m=31,t=3,p=4"), "less than 8 KiB"},
		"negative memory":         {of("m=-1,t=3,p=4"), "not m= with a number"},
		"memory with a sign":      {of("m=+65536,t=3,p=4"), "not m= with a number"},
		"memory with a zero":      {of("m=065536,t=3,p=4"), "not m= with a number"},
		"hexadecimal memory":      {of("m=0x100,t=3,p=4"), "not m= with a number"},
		"no passes":               {of("m=65536,t=0,p=4"), "t is 0"},
		"passes over the limit":   {of("m=65536,t=11,p=4"), "t is 11, want 1 to 10"},
		"no threads":              {of("m=65536,t=3,p=0"), "p is 0"},
		"threads over the limit":  {of("m=65536,t=3,p=17"), "p is 17, want 1 to 16"},
		"threads of 256":          {of("m=65536,t=3,p=257"), "p is 257"},
		"another order":           {of("t=3,m=65536,p=4"), "not m= with a number"},
		"a parameter less":        {of("m=65536,t=3"), "want m, t and p"},
		"a parameter more":        {of("m=65536,t=3,p=4,keyid=x"), "want m, t and p"},
		"a space":                 {of("m=65536, t=3,p=4"), "not t= with a number"},
		"salt with padding":       {strings.Replace(of("m=65536,t=3,p=4"), salt, salt+"==", 1), "salt is not base64"},
		"salt with a line break":  {strings.Replace(of("m=65536,t=3,p=4"), salt, salt[:4]+"\n"+salt[4:], 1), "salt is not base64"},
		"salt with trailing bits": {strings.Replace(of("m=65536,t=3,p=4"), salt, salt[:len(salt)-1]+"B", 1), "salt is not base64"},
		"salt too short":          {"$argon2id$v=19$m=65536,t=3,p=4$" + bytes(7) + "$" + key, "salt has 7 bytes, want 8 to 64"},
		"no salt":                 {"$argon2id$v=19$m=65536,t=3,p=4$$" + key, "salt has 0 bytes"},
		"salt too long":           {"$argon2id$v=19$m=65536,t=3,p=4$" + bytes(65) + "$" + key, "salt has 65 bytes"},
		"no key":                  {"$argon2id$v=19$m=65536,t=3,p=4$" + salt + "$", "key has 0 bytes, want 16 to 64"},
		"key cut":                 {of("m=65536,t=3,p=4")[:len(of("m=65536,t=3,p=4"))-2], "key is not base64"},
		"key too long":            {"$argon2id$v=19$m=65536,t=3,p=4$" + salt + "$" + bytes(65), "key has 65 bytes"},
		"key of base64url":        {"$argon2id$v=19$m=65536,t=3,p=4$" + salt + "$" + base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 32))), "key is not base64"},
		"a megabyte":              {of(strings.Repeat("m", 1<<20)), "bytes, limit 256"},
	} {
		_, err := parse(c.text)
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestLargestRecordFits(t *testing.T) {
	r := record{cost: most, salt: make([]byte, maxSalt), key: make([]byte, maxKey)}
	got, err := parse(r.String())
	if err != nil || got.String() != r.String() {
		t.Errorf("parse(%s) = %s, %v", r, got, err)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct{ user, password, want string }{
		"allowed":                       {"anna", good, ""},
		"12 characters":                 {"anna", "123456789012", ""},
		"12 characters of 2 bytes":      {"anna", strings.Repeat("ä", 12), ""},
		"1024 bytes":                    {"anna", strings.Repeat("x", 1024), ""},
		"the name within it":            {"anna", "anna likes horses", ""},
		"empty":                         {"anna", "", "has 0 characters, want at least 12"},
		"11 characters":                 {"anna", "12345678901", "has 11 characters"},
		"11 characters with 22 bytes":   {"anna", strings.Repeat("ä", 11), "has 11 characters"},
		"1025 bytes":                    {"anna", strings.Repeat("x", 1025), "has 1025 bytes, limit 1024"},
		"not UTF-8":                     {"anna", strings.Repeat("x", 12) + "\xff", "is not valid UTF-8"},
		"the name":                      {"anna-schmidt", "anna-schmidt", "is the name of the user"},
		"the name with capital letters": {"anna-schmidt", "Anna-Schmidt", "is the name of the user"},
	} {
		err := Check(c.user, c.password)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := newHasher(Options{}, cheap).Hash(t.Context(), c.password); err == nil && !strings.EqualFold(c.password, c.user) {
			t.Errorf("%s: Hash accepts it", name)
		}
	}
}

// FuzzParse checks that a row of the database is refused or has one text, and never
// requires more than the limits.
func FuzzParse(f *testing.F) {
	salt, key := encoding.EncodeToString(make([]byte, 16)), encoding.EncodeToString(make([]byte, 32))
	f.Add("$argon2id$v=19$m=65536,t=3,p=4$" + salt + "$" + key)
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$" + salt + "$" + key)
	f.Add("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$" + key)
	f.Add("$argon2i$v=16$m=1,t=1$$")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parse(text)
		if err != nil {
			return
		}
		if r.String() != text {
			t.Errorf("%q is read as %q", text, r)
		}
		if r.memory > most.memory || r.passes > most.passes || r.threads > most.threads || r.memory < 8*uint32(r.threads) ||
			r.passes < 1 || r.threads < 1 || len(r.salt) > maxSalt || len(r.key) > maxKey || len(r.key) < minKey {
			t.Errorf("%q requires %+v", text, r.cost)
		}
	})
}
