package object_test

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

func ExampleDecode() {
	_, _, err := object.Decode("files.yaml", []byte(`kind: Server
metadata: {name: files}
spec:
  command: [npx, -y, some-server]
  timout: 60s
`))
	fmt.Println(err)
	// Output:
	// server "files": timout is not a field here, did you mean "timeout"?   (files.yaml:5:3)
	//     5 |   timout: 60s
	//       |   ^
}

func ExampleServer_Resolve() {
	objects, _, err := object.Decode("web.yaml", []byte(`kind: Server
metadata: {name: web}
spec:
  url: https://mcp.example.org/mcp
  headers: {Authorization: "Bearer ${TOKEN}"}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	web := objects[0].(*object.Server)
	endpoint, err := web.Resolve(func(name string) (secret.Value, bool) { return secret.New("s3cret"), name == "TOKEN" })
	fmt.Println(endpoint.Headers["Authorization"], err)
	fmt.Println(endpoint.Headers["Authorization"].Reveal())
	// Output:
	// *** <nil>
	// Bearer s3cret
}
