package model

import (
	"testing"
	"time"
)

func TestRatiosAreToTheFirst(t *testing.T) {
	first := cost{Tokens: 1000, Time: time.Second}
	got := cost{Tokens: 250, Time: 2 * time.Second, Again: time.Second}.over(first)
	if got.TokenRatio != 0.25 || got.TimeRatio != 2 || got.AgainRatio != 0 {
		t.Errorf("got %+v", got)
	}
}
