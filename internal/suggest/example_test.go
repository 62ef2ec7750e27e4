package suggest_test

import (
	"fmt"

	"github.com/mcpctl/mcpctl/internal/suggest"
)

func ExampleNearest() {
	fmt.Println(suggest.Nearest("secuirty-audit", []string{"paginate", "security-audit", "summarize"}))
	// Output: security-audit
}
