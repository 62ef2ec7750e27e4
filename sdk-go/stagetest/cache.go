package stagetest

// CacheWay is the behaviour of the cache of a test.
type CacheWay string

// The behaviours of a cache. The result of a stage must not depend on them.
const (
	CacheWorks CacheWay = ""     // it stores values
	CacheFull  CacheWay = "full" // it returns its values; Set fails with stage.Limit
	CacheOff   CacheWay = "off"  // there is no cache; Set fails with stage.Unavailable
)
