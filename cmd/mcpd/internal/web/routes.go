package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Routes returns the table of routes.
func (s *Server) Routes() []Route {
	all := []Route{{Method: "GET", Path: "/openapi.json", Rule: Public, Summary: "Return this description", serve: openAPI}}
	for _, some := range [][]Route{systemRoutes, accountRoutes, deviceRoutes, promptRoutes, objectRoutes, relayRoutes, auditRoutes, backupRoutes, cacheRoutes} {
		all = append(all, some...)
	}
	return all
}

// Handler serves all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.Routes() {
		mux.Handle(route.Method+" "+route.Path, s.handle(route))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		defer timeBody(w, r, time.Now())() // which nothing reads
		s.fail(w, r, problem.New(abi.ErrNotFound, "no call %s %s", r.Method, clip(r.URL.Path)))
	})
	return mux
}

// maxBody is the size limit of requests about objects whose route has no other limit. Other
// requests are limited to smallBody.
const maxBody = 32 << 20

// handle applies the rule of a route.
func (s *Server) handle(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Server: s, w: w, r: r}
		w.Header().Set("Cache-Control", "no-store")
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // that of the answer before, on the same connection
		limit := int64(maxBody)
		if route.Rule == Public || route.Rule == Signed {
			limit = smallBody
		}
		limit = cmp.Or(route.limit, limit)
		var until time.Time
		if route.Rule == Public {
			until = time.Now().Add(publicBodyTime)
		}
		defer timeBody(w, r, until)()
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		if err := c.admit(route.Rule); err != nil {
			c.refuse(err)
			return
		}
		if r.ContentLength > limit {
			c.refuse(problem.New(abi.ErrLimit, "the request is over %d KiB", limit>>10))
			return
		}
		if route.limit == 0 { // others do not hold it in memory
			end, err := c.holdBody(limit)
			if err != nil {
				c.refuse(err)
				return
			}
			defer end()
		}
		if err := checkText(r); err != nil {
			c.refuse(err)
			return
		}
		if route.serve != nil {
			route.serve(c)
			return
		}
		v, err := route.answer(c)
		if err != nil {
			c.refuse(err)
			return
		}
		writeJSON(w, v)
	})
}

// checkText returns an error for a path or query that is not a text: no name contains such
// bytes, and PostgreSQL refuses them.
func checkText(r *http.Request) error {
	texts := []string{r.URL.Path}
	query, err := url.ParseQuery(r.URL.RawQuery)
	for key, values := range query {
		texts = append(append(texts, key), values...)
	}
	for _, s := range texts {
		if err != nil || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return problem.Usagef("the address of the request is not valid: it is not UTF-8, or contains a NUL or an incomplete %%")
		}
	}
	return nil
}

var systemRoutes = []Route{
	{Method: "GET", Path: "/healthz", Rule: Public, Summary: "Report that the process runs", answer: func(*call) (any, error) { return struct{}{}, nil }},
	{Method: "GET", Path: "/readyz", Rule: Public, Summary: "Report that the database answers", answer: ready},
	{Method: "GET", Path: "/metrics", Rule: Admin, Summary: "Return figures in the text format of Prometheus", serve: metrics},
	{Method: "GET", Path: "/api/v1/status", Rule: Signed, Summary: "Return the versions of the program and the store", Out: api.McpdStatus{}, answer: status},
}

func ready(c *call) (any, error) {
	if err := c.DB.Ping(c.ctx()); err != nil {
		c.Log.Error("the database does not answer", "cause", err)
		return nil, problem.New(abi.ErrUnavailable, "the database does not answer")
	}
	return struct{}{}, nil
}

func status(c *call) (any, error) {
	return api.McpdStatus{Version: c.Server.Version, Engine: string(c.DB.Engine()), ResourceVersion: strconv.FormatInt(c.Feed.Version(), 10)}, nil
}
