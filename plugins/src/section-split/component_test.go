package sectionsplit

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// body is the body of a function of some size.
var body = strings.Repeat("    this.total = this.total + one(this.list, `${this.name}`)\n", 12)

// component is a component of Vue with options.
var component = `<script lang="ts">
import { one } from './one'
import Card from './Card.vue'

export default {
  name: 'UserList',
  components: { Card },
  data() {
` + body + `  },
  methods: {
    async load(id: string) {
` + body + `    },
    remove() {
` + body + `    },
  },
  setup(props) {
` + body + `  },
}
</script>

<template>
  <div class="list">
    <Card v-for="a in list" :key="a.id" @click="() => load(a.id)">
` + strings.Repeat("      <span>{{ a.name }}</span>\n", 60) + `    </Card>
    <my-footer :a="b > 1">
` + strings.Repeat("      <p>A paragraph of the footer.</p>\n", 60) + `    </my-footer>
  </div>
</template>

<style scoped>
.list { margin: 0 }
</style>

<i18n>
{"en": {"a": "b"}}
</i18n>
`

// setup is a component of Vue with a script for setup, counter one of Svelte.
var (
	setup = "<script setup lang=\"ts\">\nimport { ref } from 'vue'\n\nconst list = ref([])\n\nfunction load(id: string) {\n" + body + "}\n\nconst remove = async (id: string) => {\n" + body + body +
		"}\n\nfunction rename(id: string) {\n" + body + "}\n</script>\n\n<template>\n  <p>{{ list }}</p>\n</template>\n"
	counter = "<script context=\"module\">\n  export const prerender = true\n</script>\n\n<script>\n  export let list = []\n\n  function load(id) {\n" + body + "  }\n\n  function remove(id) {\n" + body + body + body +
		"  }\n</script>\n\n{#each list as a}\n  <Card on:click={() => load(a.id)} title=\"x\">\n" + strings.Repeat("    <span>{a.name}</span>\n", 80) + "  </Card>\n{:else}\n  <Other>\n" + strings.Repeat("    <span>none</span>\n", 80) + "  </Other>\n{/each}\n\n<style>\n  span { color: red }\n</style>\n"
)

func TestComponentsAreSplitByBlock(t *testing.T) {
	for _, c := range []struct {
		rule, text, hint, kind string
		want                   []string
	}{
		{"options of Vue", component, "", "vue", []string{"script", "script/data", "script/methods", "script/methods/load", "script/methods/remove", "script/setup", "template", "template/Card", "template/my-footer", "style", "i18n"}},
		{"a script for setup", setup, "", "vue", []string{"script", "script/load", "script/remove", "script/rename", "template"}},
		{"Svelte", counter, "", "svelte", []string{"script-module", "script", "script/list", "script/load", "script/remove", "template", "template/Card", "template/Other", "style"}},
		{"a name that claims another type of markup", setup, "a.html", "html", []string{"script", "script/content/load"}},
	} {
		r := stagetest.Run("section-split", stagetest.Call{Input: c.text, Config: `{"minSize":100,"leafSize":1000}`, Context: stagetest.Context{Hint: c.hint}})
		checkLaws(t, c.rule, c.text, r)
		if r.Meta["type"] != c.kind {
			t.Errorf("%s: %s", c.rule, r.Meta["type"])
		}
		paths := example.Paths(r.Sections)
		for _, path := range c.want {
			if !slices.Contains(paths, path) {
				t.Errorf("%s: no section %s in %q", c.rule, path, paths)
			}
		}
	}
}
