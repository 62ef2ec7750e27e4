package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/cache"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/feed"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/web"
	"github.com/mcpctl/mcpctl/host/secret"
)

// options are the options of serve.
type options struct {
	place
	listen   string
	cert     string
	key      string
	insecure bool
	issuer   issuerFlags
	level    slog.LevelVar
	out      io.Writer
	log      *slog.Logger
}

func newCmdServe() *cobra.Command {
	o := &options{out: os.Stdout}
	var level string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server in the foreground",
		Long: `Run the server in the foreground. When it is ready it prints one line of JSON with its address. Off loopback it
serves TLS, with --tls-cert and --tls-key; --insecure allows plain HTTP there, behind a proxy that ends TLS.

Users log in with a password, and with --oidc-issuer also by an OpenID Connect issuer that offers the device flow. The
first login of a user of the issuer creates a User without rights.`,
		Example: `  mcpd serve
  mcpd serve --oidc-issuer https://login.example.com --oidc-client-id mcpd --oidc-groups-claim groups
  mcpd serve --listen :3100 --tls-cert cert.pem --tls-key key.pem`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.level.UnmarshalText([]byte(level)); err != nil {
				return problem.Usagef("--log-level %q, want debug, info, warn or error", level)
			}
			o.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: &o.level}))
			return o.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:3100", "address to listen on; port 0 selects a free port")
	cmd.Flags().StringVar(&o.cert, "tls-cert", "", "file of the certificate chain (PEM)")
	cmd.Flags().StringVar(&o.key, "tls-key", "", "file of the private key (PEM)")
	cmd.Flags().BoolVar(&o.insecure, "insecure", false, "serve plain HTTP on an address that is not loopback")
	cmd.Flags().StringVar(&level, "log-level", "info", "minimum log level: debug, info, warn, error")
	o.issuer.addFlags(cmd)
	o.addFlags(cmd)
	return cmd
}

// drain is the time that pending requests get after a signal.
const drain = 10 * time.Second

// run serves until a signal. A signal while the server starts is no error either, whatever
// the database says of the transaction that it ended.
func (o *options) run(ctx context.Context) error {
	if err := o.checkTransport(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := o.serve(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// serve opens the data and serves it until the context ends.
func (o *options) serve(ctx context.Context) error {
	data, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer data.Close()
	if err := o.prepare(ctx, data.db); err != nil {
		return err
	}
	logins, err := o.openIssuer(ctx, data.home, data.keys)
	if err != nil {
		return err
	}
	a := access.Open(data.db, data.store)
	a.SetIssuer(o.issuer.Issuer)
	hub, err := feed.Open(ctx, data.store, o.log, func(changes []store.Change) error { return a.Apply(ctx, changes) })
	if err != nil {
		return err
	}
	data.store.OnCommit(hub.Wake)
	log := audit.OpenLog(data.db, data.keys, "process "+rand.Text()[:12], o.log)
	defer log.Close()
	sessionKey, err := deriveKey(data.home, "mcpd sessions\n")
	if err != nil {
		return err
	}
	auditKey, err := deriveKey(data.home, "mcpd audit arguments\n")
	if err != nil {
		return err
	}
	values, err := secret.Load(data.home)
	if err != nil {
		return err
	}
	closing, closed := context.WithCancel(context.Background())
	defer closed()
	s := &web.Server{DB: data.db, Store: data.store, Access: a, Feed: hub, Audit: log, Cache: cache.New(data.db, data.keys), Log: o.log, Version: release.Version,
		Secrets: values.Lookup(func(string) (string, bool) { return "", false }), SessionKey: sessionKey, Closing: closing, Logins: logins, Keys: data.keys, AuditKey: auditKey}

	lis, err := net.Listen("tcp", o.listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return problem.New(abi.ErrConflict, "%s is in use by another program", o.listen).WithHint("mcpd serve --listen 127.0.0.1:0")
	}
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ErrorLog: slog.NewLogLogger(o.log.Handler(), slog.LevelDebug)}
	go hub.Run(ctx)
	go o.listenForWakeUps(ctx, data.db, hub)
	go o.compact(ctx, data.store)
	failed := make(chan error, 1)
	go func() { failed <- o.serveOn(server, lis) }()
	if err := o.announce(lis); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	o.log.Info("stopping, waiting for pending requests")
	closed()
	end, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if server.Shutdown(end) != nil {
		server.Close()
	}
	return nil
}

func (o *options) serveOn(server *http.Server, lis net.Listener) error {
	if o.cert != "" {
		return server.ServeTLS(lis, o.cert, o.key)
	}
	return server.Serve(lis)
}

// prepare migrates a database of SQLite, and checks that of PostgreSQL.
func (o *options) prepare(ctx context.Context, db *database.DB) error {
	if db.Engine() == database.PostgreSQL {
		return db.CheckSchema(ctx)
	}
	from, to, err := db.Migrate(ctx)
	if err == nil && from != to {
		o.log.Info("migrated the schema", "from", from, "to", to)
	}
	return err
}

// listenForWakeUps listens to other processes, and again after the connection has ended.
func (o *options) listenForWakeUps(ctx context.Context, db *database.DB, hub *feed.Hub) {
	for ctx.Err() == nil {
		if err := db.Listen(ctx, hub.Wake); err != nil && ctx.Err() == nil {
			o.log.Warn("the database sends no notifications, changes are polled", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// The change feed keeps this many changes; clients that are further behind take a snapshot.
const (
	keptChanges  = 100_000
	compactEvery = time.Hour
)

// compact removes old changes of the feed from time to time.
func (o *options) compact(ctx context.Context, s *store.Store) {
	for ctx.Err() == nil {
		version, err := s.Version(ctx)
		if err == nil && version > keptChanges {
			err = s.Compact(ctx, version-keptChanges)
		}
		if err != nil && ctx.Err() == nil {
			o.log.Warn("old changes cannot be removed", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(compactEvery):
		}
	}
}

// checkTransport returns an error for plain HTTP on an address that others can reach.
func (o *options) checkTransport() error {
	if (o.cert == "") != (o.key == "") {
		return problem.Usagef("--tls-cert and --tls-key belong together").WithHint("mcpd serve --tls-cert cert.pem --tls-key key.pem")
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return problem.Usagef("--listen %q: %v", o.listen, err).WithHint("mcpd serve --listen 127.0.0.1:3100")
	}
	ip := net.ParseIP(host)
	if o.cert != "" || o.insecure || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	p := problem.Usagef("--listen %q is not a loopback address, and passwords would cross the network in clear", o.listen)
	p.Cause = "give --tls-cert and --tls-key, or --insecure behind a proxy that ends TLS"
	return p.WithHint("mcpd serve --help")
}

// announce prints the line that says that the server is ready.
func (o *options) announce(lis net.Listener) error {
	scheme := "http"
	if o.cert != "" {
		scheme = "https"
	}
	line, err := json.Marshal(map[string]any{"listening": scheme + "://" + lis.Addr().String(), "pid": os.Getpid()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.out, "%s\n", line)
	return err
}

// deriveKey returns a key for one purpose, derived from the file of keys, which all replicas
// share.
func deriveKey(home, purpose string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(home, "keys"))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte(purpose), text...))
	return sum[:], nil
}
