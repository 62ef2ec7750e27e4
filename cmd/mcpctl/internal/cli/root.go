package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/add"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/apply"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/approve"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/auth"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/backup"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/cache"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/config"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/connect"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/console"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/create"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/del"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/demo"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/describe"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/diff"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/doctor"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/edit"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/explain"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/export"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/get"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/hold"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/hook"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/identity"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/importer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/link"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/login"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/logs"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/mcp"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/model"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/passwd"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/record"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/regenerate"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/reload"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/replay"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/restart"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/stage"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/status"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/token"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/top"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/ui"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/use"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/version"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/eventquery"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewRoot assembles the command tree.
func NewRoot(f *factory.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpctl",
		Short: "Inspect and control the output of MCP servers in your model's context",
		Long: `A proxy between a coding agent and its MCP servers. Stages transform the content that the model reads: for example, a
120 KB result is replaced by an index of its sections. Every original byte remains accessible.`,
		Example: `  mcpctl demo
  mcpctl import && mcpctl connect claude-code`,
		Version:           f.Version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
	}
	register := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddGroup(&cobra.Group{ID: "start", Title: "Start here:"}, &cobra.Group{ID: "objects", Title: "Objects:"},
		&cobra.Group{ID: "stages", Title: "Stages and proxymodels:"}, &cobra.Group{ID: "run", Title: "Daemon and clients:"},
		&cobra.Group{ID: "team", Title: "Team server:"})
	register("start", demo.NewCmdDemo(f, nil), importer.NewCmdImport(f, nil), add.NewCmdAdd(f, nil), use.NewCmdUse(f, nil), connect.NewCmdConnect(f, nil),
		connect.NewCmdDisconnect(f, nil), connect.NewCmdUndo(f))
	register("objects", get.NewCmdGet(f, nil), describe.NewCmdDescribe(f, nil), apply.NewCmdApply(f, nil), diff.NewCmdDiff(f, nil), patch.NewCmdPatch(f, nil),
		edit.NewCmdEdit(f, nil), approve.NewCmdApprove(f, nil), regenerate.NewCmdRegenerate(f, nil), del.NewCmdDelete(f, nil))
	register("stages", create.NewCmdCreate(f), stage.NewCmdStage(f), model.NewCmdProxyModel(f), console.NewCmdConsole(f, nil), hold.NewCmdHold(f, nil), hold.NewCmdRelease(f, nil), record.NewCmdRecord(f, nil), replay.NewCmdReplay(f, nil), cache.NewCmdCache(f))
	register("team", login.NewCmdLogin(f, nil), login.NewCmdLogout(f, nil), login.NewCmdWhoami(f, nil), auth.NewCmdAuth(f), passwd.NewCmdPasswd(f, nil), token.NewCmdToken(f), identity.NewCmdIdentity(f), link.NewCmdLink(f), audit.NewCmdAudit(f), backup.NewCmdBackup(f), backup.NewCmdRestore(f))
	register("run", status.NewCmdStatus(f, nil), top.NewCmdTop(f, nil), ui.NewCmdUI(f, nil), export.NewCmdExport(f, nil), doctor.NewCmdDoctor(f, nil), logs.NewCmdLogs(f, nil), restart.NewCmdRestart(f, nil), daemon.NewCmdDaemon(f), config.NewCmdConfig(f), reload.NewCmdReload(f, nil), mcp.NewCmdMCP(f, nil), hook.NewCmdHook(f, nil))
	root.AddCommand(explain.NewCmdExplain(f), version.NewCmdVersion(f), demo.NewCmdServer(f), exitCodes(), eventquery.NewTopic())
	globalFlags(root, f)
	wrapHelp(root, f.IO)
	root.SetVersionTemplate("mcpctl {{.Version}}\n")
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.ErrOut)
	root.InitDefaultCompletionCmd()
	cmdline.Strict(root)
	return root
}

// direct are the commands that can use the team server itself.
var direct = []string{"get", "describe", "apply", "diff", "patch", "edit", "approve", "delete", "create", "whoami", "auth", "passwd", "token", "audit", "backup", "restore"}

// globalFlags adds --color and --direct to every command.
func globalFlags(root *cobra.Command, f *factory.Factory) {
	var when string
	root.PersistentFlags().BoolVar(&f.Direct, "direct", false, "objects: use those of the team server itself, without the daemon and files")
	root.PersistentFlags().StringVar(&when, "color", "auto", "colours: "+strings.Join(iostreams.ColourModes, ", "))
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(iostreams.ColourModes, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.IO.SetColour(when); err != nil {
			return problem.Usagef("%s", problem.From(err).Message).WithHint("mcpctl --help")
		}
		top := cmd
		for top.HasParent() && top.Parent() != root {
			top = top.Parent()
		}
		if f.Direct && !slices.Contains(direct, top.Name()) {
			p := problem.Usagef("%s cannot use --direct", cmd.CommandPath())
			p.Cause = "these commands can: " + strings.Join(direct, ", ")
			return p
		}
		return nil
	}
}
