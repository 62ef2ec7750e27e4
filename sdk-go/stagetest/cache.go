package stagetest

// CacheWay is how the cache of a test works.
type CacheWay string

// The ways of a cache. A result must not depend on which it is.
const (
	CacheWorks CacheWay = ""     // it keeps what it is given
	CacheFull  CacheWay = "full" // it gives what it holds; Set fails with stage.Limit
	CacheOff   CacheWay = "off"  // there is none; Set fails with stage.Unavailable
)
