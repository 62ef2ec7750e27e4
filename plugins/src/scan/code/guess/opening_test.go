package guess

import (
	"strings"
	"testing"
)

func TestOpening(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"// Copyright\n\n/* of\n * lines */\npackage url\n", "go"},
		{"package io.swagger.client;\n", "java"},
		{"package io.swagger.client\n", ""}, // Kotlin or Scala
		{"package Foo::Bar;\n", ""},
		{"package\n", ""},
		{"\ufeffusing System.Linq;\n", "c#"},
		{"using namespace std;\n", ""},
		{"\ufeffnamespace Acme.Boats;\n\npublic class Boat\n", "c#"},
		{"namespace acme {\n", ""}, // C++ and others
		{"# coding\n#\nfrom .models import (\n", "python"},
		{"from here to there, import nothing\n", ""},
		{"import React from 'react';\n", "javascript"},
		{"import os\n", "python"},
		{"import numpy.linalg as la\n", "python"},
		{"import a.b\n", ""},
		{"import a.b\nimport c.d\n\nfrom e import f\n", "python"},
		{"import a.b\nimport c.d\n\nval f = d(1)\n", ""},
		{"import a.b\nrequire 'c'\n", ""}, // only Python confirms such an import
		{strings.Repeat("import a.b\n", 30) + "from e import f\n", ""},
		{"\"\"\"The module.\n\nIt has lines.\n\"\"\"\n\nfrom a.b import c\n", "python"},
		{"'''The module.'''\nimport os\n", "python"},
		{"\"\"\"no end\n\nfrom a.b import c\n", ""},
		{"class A < B::C[5.0]\n", "ruby"},
		{"class A < B {\n", ""},
		{"class sizes < before\n", ""},
		{"import Foundation\n", ""},
		{"import duties rose\n", ""},
		{"require 'json'\n", "ruby"},
		{"require('x')\n", ""},
		{"#include <stdio.h>\n", "c"},
		{"#ifndef X_H\n", "c"},
		{"#pragma once\n", "c"},
		{"#pragma omp\n", ""},
		{"<?php\n", "php"},
		{"# A heading\n\nfrom x import y\n", "python"}, // it proves nothing
		{"/* no end", ""},
		{"", ""},
		{"\n\n", ""},
	} {
		got := ""
		if l := Opening([]byte(c.text)); l != nil {
			got = l.Name
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
