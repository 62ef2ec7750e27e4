package catalog

// Kind is one of the lists of MCP.
type Kind int

// The kinds of lists.
const (
	Tools Kind = iota
	Prompts
	Resources
	Templates
	Kinds // the number of kinds above, which a Catalog stores

	Tasks = Kinds // read again for each request
)

var kinds = [...]struct {
	method, array, key, capability, changed string
}{
	Tools:     {"tools/list", "tools", "name", "tools", "notifications/tools/list_changed"},
	Prompts:   {"prompts/list", "prompts", "name", "prompts", "notifications/prompts/list_changed"},
	Resources: {"resources/list", "resources", "uri", "resources", "notifications/resources/list_changed"},
	Templates: {"resources/templates/list", "resourceTemplates", "uriTemplate", "resources", "notifications/resources/list_changed"},
	Tasks:     {"tasks/list", "tasks", "taskId", "tasks", ""},
}

// Method returns the method that asks for the list.
func (k Kind) Method() string { return kinds[k].method }

// Array returns the name of the result's member that holds the objects.
func (k Kind) Array() string { return kinds[k].array }

// Key returns the name of the member that identifies an object.
func (k Kind) Key() string { return kinds[k].key }

// Capability returns the name of the capability that a server with this list declares.
func (k Kind) Capability() string { return kinds[k].capability }

// Changed returns the method of the notification that the list has changed.
func (k Kind) Changed() string { return kinds[k].changed }
