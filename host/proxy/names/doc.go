// Package names gives the tools and prompts of a project's servers the names that
// clients use.
//
// A Table assigns each Target (a tool or prompt of one server) its wire name,
// "server__tool", and finds the target of a wire name again. Names are unique as
// clients show them, fit the clients' length limit, and survive changes of the lists.
//
// It knows neither the definitions of tools nor sessions.
package names
