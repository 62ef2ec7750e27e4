package code

// Extensions are those of all languages and the media types of programs, as
// hints that a text is code.
const Extensions = "go js mjs cjs jsx ts mts cts tsx java groovy gradle scala dart c h cc cpp cxx c++ hh hpp hxx inl ipp m mm ino cu glsl cs rs swift kt kts" +
	" php phtml proto css scss less py pyi pyw pyx bzl star rb rake gemspec ru podspec lua sh bash zsh ksh fish zsh-theme bats sql tcl tk pl pm ex exs" +
	" hs mk makefile gnumakefile dockerfile containerfile tf hcl tfvars r" +
	" text/javascript application/javascript application/typescript text/css application/sql application/x-sh text/x-shellscript text/x-python" +
	" text/x-go text/x-c text/x-c++ text/x-java-source text/x-ruby text/x-rust"
