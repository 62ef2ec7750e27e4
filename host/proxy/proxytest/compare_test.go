package proxytest

import "testing"

func TestDifferences(t *testing.T) {
	const direct = `{"a":[1e2,{"b":9007199254740993}],"c":{}}`
	for _, through := range []string{
		`{"a":[100,{"b":9007199254740993}],"c":{}}`, `{"a":[1e2,{"b":9007199254740992}],"c":{}}`,
		`{"a":[1e2,{"b":9007199254740993}]}`, `{"a":[1e2,{"b":9007199254740993}],"c":{},"d":1}`, `{"c":{},"a":[1e2,{"b":9007199254740993}]}`,
	} {
		if len(Differences(direct, through)) == 0 {
			t.Errorf("no difference found to %s", through)
		}
	}
}
