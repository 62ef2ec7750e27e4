package stage

import "errors"

// Func is a stage. It reads c.Input and writes c.Out.
//
// Errors: see the package comment for nil, Pass and others.
type Func func(c *Ctx) error

// Pass is the error of a stage that leaves the content unchanged. Sections and
// metadata count, output is dropped.
var Pass = errors.New("pass")

var roles = map[string]Func{}

// Register registers f as the stage of a role. Call it from init; it panics if the
// role is registered twice. In a module with one role the name of the role does not
// matter: without a manifest it is the name of the file.
func Register(role string, f Func) {
	if _, ok := roles[role]; ok {
		panic("stage: role " + role + " registered twice")
	}
	roles[role] = f
}

// lookup returns the function of a role. It calls name only if there are several.
func lookup(name func() string) (Func, error) {
	if len(roles) == 1 {
		for _, f := range roles {
			return f, nil
		}
	}
	role := name()
	if f, ok := roles[role]; ok {
		return f, nil
	}
	return nil, errors.New("module has no role " + quote(role))
}
