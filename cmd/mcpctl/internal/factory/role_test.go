package factory

import (
	"maps"
	"testing"
)

func TestConfigPairs(t *testing.T) {
	got, err := ConfigPairs([]string{"rule=a=b", "empty=", "twice=1", "twice=2"})
	if want := map[string]string{"rule": "a=b", "empty": "", "twice": "2"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "rule", "=a"} {
		if _, err := ConfigPairs([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
