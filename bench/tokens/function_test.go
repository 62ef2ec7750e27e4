package main

import "testing"

// Each dialect finds their paths and bytes.
func TestFunctionTargets(t *testing.T) {
	const pad = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	tests := []struct {
		name, kind, text string
		want             []string
	}{
		{"functions and methods of Rust", "rust", "pub async fn run<T>(\n    a: T,\n) -> X {\n    " + pad + ";\n}\nimpl<'a, T: Into<U>> Lamp<T> {\n    pub(crate) fn on(&self) {\n        if x {\n            " + pad + "\n        }\n    }\n}\nimpl fmt::Display for Lamp {\n    fn fmt(&self) { " + pad + " }\n}\ntrait Source {\n    fn next(\n        " + pad + ",\n    ) -> T;\n    fn other(&self) -> T" + pad + ";\n}\n", []string{
			"run: pub async fn run<T>(\n    a: T,\n) -> X {\n    " + pad + ";\n}\n",
			"Lamp/on:     pub(crate) fn on(&self) {\n        if x {\n            " + pad + "\n        }\n    }\n",
			"Lamp/fmt:     fn fmt(&self) { " + pad + " }\n",
			"Source/next:     fn next(\n        " + pad + ",\n    ) -> T;\n",
			"Source/other:     fn other(&self) -> T" + pad + ";\n",
		}},
		{"functions and methods of TypeScript", "typescript", "export async function run(a: T) {\n  " + pad + "\n}\nexport const make = (a: T): U => {\n  " + pad + "\n};\nexport class Lamp<T> {\n  private on(a: T) {\n    if (a) {\n      " + pad + "\n    }\n  }\n  #off() {\n    " + pad + "\n  }\n}\nif (run(" + pad + ")) {\n  x();\n}\nexport const Cart: Fns<Cart> = {\n  pay(a: T) {\n    " + pad + "\n  },\n};\n", []string{
			"run: export async function run(a: T) {\n  " + pad + "\n}\n",
			"make: export const make = (a: T): U => {\n  " + pad + "\n};\n",
			"Lamp/on:   private on(a: T) {\n    if (a) {\n      " + pad + "\n    }\n  }\n",
			"Lamp/#off:   #off() {\n    " + pad + "\n  }\n",
			"Cart/pay:   pay(a: T) {\n    " + pad + "\n  },\n",
		}},
		{"methods of C#", "csharp", "namespace N;\npublic sealed class Lamp : ILamp\n{\n    public Lamp(int a)\n    {\n        " + pad + "\n    }\n    private static async Task<List<int>> On<T>(T a) where T : class\n    {\n        if (x)\n        {\n            " + pad + "\n        }\n    }\n#if X\n    public int Off() => " + pad + ";\n#endif\n}\n", []string{
			"Lamp/Lamp:     public Lamp(int a)\n    {\n        " + pad + "\n    }\n",
			"Lamp/On:     private static async Task<List<int>> On<T>(T a) where T : class\n    {\n        if (x)\n        {\n            " + pad + "\n        }\n    }\n",
			"Lamp/Off:     public int Off() => " + pad + ";\n",
		}},
		{"methods of Java", "java", "@Named\npublic final class Lamp<T> extends Light {\n    @Override\n    public <A> List<A> on(A a) throws X {\n        if (a) {\n            " + pad + "\n        }\n    }\n}\n", []string{
			"Lamp/on:     public <A> List<A> on(A a) throws X {\n        if (a) {\n            " + pad + "\n        }\n    }\n",
		}},
		{"functions of Kotlin", "kotlin", "sealed class Lamp {\n  override suspend fun <T> T.on(a: Int): T {\n    " + pad + "\n  }\n}\nfun String.off() =\n  " + pad + "\n\nfun x() {}\n", []string{
			"Lamp/on:   override suspend fun <T> T.on(a: Int): T {\n    " + pad + "\n  }\n",
			"off: fun String.off() =\n  " + pad + "\n",
		}},
		{"functions of Swift", "swift", "extension Lamp {\n  @inlinable\n  public func on<T>(_ a: T) -> U {\n    " + pad + "\n  }\n}\n", []string{
			"Lamp/on:   public func on<T>(_ a: T) -> U {\n    " + pad + "\n  }\n",
		}},
		{"functions of PHP", "php", "final class Lamp\n{\n    public static function &on(array $a): T\n    {\n        " + pad + "\n    }\n}\n", []string{
			"Lamp/on:     public static function &on(array $a): T\n    {\n        " + pad + "\n    }\n",
		}},
		{"functions and methods of Python", "python", "class Lamp:\n    async def on(\n        self,\n    ) -> None:\n        \"\"\"" + pad + "\nno indentation\n\"\"\"\n        x()\n\n    # of the next\n    def off(self): return " + pad + "\n\ndef run():\n    def inner():\n        " + pad + "\n    return inner\n", []string{
			"Lamp/on:     async def on(\n        self,\n    ) -> None:\n        \"\"\"" + pad + "\nno indentation\n\"\"\"\n        x()\n",
			"Lamp/off:     def off(self): return " + pad + "\n",
			"run: def run():\n    def inner():\n        " + pad + "\n    return inner\n",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkCandidates(t, tt.kind, tt.text, tt.want)
		})
	}
}
