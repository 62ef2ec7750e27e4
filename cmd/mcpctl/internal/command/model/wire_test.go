package model

import "testing"

func TestToolByLabelOrWireName(t *testing.T) {
	tools := []string{"demo__get_flows", "bare_tool", "a__b__c"}
	for tool, want := range map[string]string{
		"demo/get_flows": "demo__get_flows", "demo__get_flows": "demo__get_flows", "demo/bare_tool": "bare_tool", "a/b__c": "a__b__c", "demo/nope": "",
	} {
		if got, err := wire(tool, tools); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is called %q, %v; want %q", tool, got, err, want)
		}
	}
}
