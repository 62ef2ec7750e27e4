// Package flow holds the types that host packages exchange while a request
// passes through them: the Content of a part of a result, the Reply of an
// Upstream, the Shown text that replaces a Content, Answers of read_section, the
// decisions of controllers, and the reports that an event carries.
//
// It contains no behaviour. Types that a guest sees are in package abi.
package flow
