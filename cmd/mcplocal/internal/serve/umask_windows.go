package serve

// restrictNewFiles does nothing: files inherit the access list of the user's profile.
func restrictNewFiles() {}
