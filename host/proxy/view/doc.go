// Package view runs the pipeline over the results of servers and returns them as the
// client gets to see them.
//
// A Viewer gives each part of a result.Layout to the Transformer and rebuilds the
// result from the outcome. A tools/call result that arrives again, byte for byte, is
// shown again from memory if the Transformer is a Repeater.
//
// It does not decide which results are transformed; the proxy does, by the ProxyModel.
package view
