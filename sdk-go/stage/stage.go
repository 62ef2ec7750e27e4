package stage

import "errors"

// Func is a stage: it reads c.Input and writes c.Out.
//
// Errors: see the package comment for nil, Pass and others.
type Func func(c *Ctx) error

// Pass says that the content goes on unchanged. Sections and metadata count,
// output is dropped.
var Pass = errors.New("pass")

var roles = map[string]Func{}

// Register makes f the stage of a role. Call it from init; it panics if the role
// is taken. In a module with one role, f runs whatever the role is called, since
// without a manifest that is the name of the file.
func Register(role string, f Func) {
	if _, ok := roles[role]; ok {
		panic("stage: role " + role + " registered twice")
	}
	roles[role] = f
}

// lookup gives the function of a role; name is asked only if it matters.
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
