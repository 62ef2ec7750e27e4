package code

import (
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func TestOpeningsOfPrograms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"// Copyright\n\n/* of\n * lines */\npackage url\n", "go"},
		{"package io.swagger.client;\n", "java"},
		{"package io.swagger.client\n", ""}, // Kotlin or Scala
		{"package Foo::Bar;\n", ""},
		{"package\n", ""},
		{"\ufeffusing System.Linq;\n", "c#"},
		{"using namespace std;\n", ""},
		{"# coding\n#\nfrom .models import (\n", "python"},
		{"from here to there, import nothing\n", ""},
		{"import React from 'react';\n", "javascript"},
		{"import os\n", ""},
		{"require 'json'\n", "ruby"},
		{"require('x')\n", ""},
		{"#include <stdio.h>\n", "c"},
		{"#ifndef X_H\n", "c"},
		{"#pragma once\n", "c"},
		{"#pragma omp\n", ""},
		{"<?php\n", "php"},
		{"# A heading\n\nfrom x import y\n", "python"}, // nothing is proven by it
		{"/* no end", ""},
		{"", ""},
		{"\n\n", ""},
	} {
		got := ""
		if l := opening([]byte(c.text)); l != nil {
			got = l.name
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// What a text begins with is a guess: the lines decide.
func TestOpeningProvesNothing(t *testing.T) {
	text := "package deal\n\n"
	for range 60 {
		text += "It is a sentence of some words, and another one follows it here.\n\n"
	}
	if _, ok := Scan([]byte(text), part.Clues{}); ok {
		t.Error("prose is code")
	}
}
