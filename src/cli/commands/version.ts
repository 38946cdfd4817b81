import { version } from "../../../package.json" with { type: "json" };
import { INTERFACE_VERSION } from "../../openapi/interface-version.ts";
import { COMMIT } from "../../lib/this-program.ts";
import type { Command } from "../command.ts";
import { formatDetails } from "../format/format-details.ts";
import { asJson, writeStdout } from "../output.ts";

export const showVersion: Command = {
  summary:
    "Show the version and the commit of this program, the versions of its interface, of the storage schemas that it creates, and of its runtime.",
  details: "For support requests, and to compare versions before an upgrade. `tollgate --version` prints the version alone.",
  examples: ["version", "version --json"],
  operands: [],
  options: {},
  async run({ json }) {
    // Loaded lazily: the other commands are clients and need no stores in memory.
    const { MIGRATIONS, POSTGRES_MIGRATIONS } = await import("../../stores/migrations/migrate.ts");
    const schema = { data_folder: lastOf(MIGRATIONS), postgresql: lastOf(POSTGRES_MIGRATIONS) };
    const [bun, platform] = [Bun.version, `${process.platform} ${process.arch}`];
    if (json) return writeStdout(asJson({ version, commit: COMMIT, interface: INTERFACE_VERSION, schema, bun, platform }));
    await writeStdout(
      formatDetails([
        ["Tollgate", version],
        ["Commit", COMMIT ?? "unknown: it was not built from a git clone"],
        ["Interface", `v${INTERFACE_VERSION.split(".")[0]} (${INTERFACE_VERSION})`],
        ["Data folder", schema.data_folder],
        ["PostgreSQL", schema.postgresql],
        ["Bun", bun],
        ["Platform", platform],
      ]),
    );
  },
};

/** Migrations are listed in their order. */
function lastOf(migrations: Readonly<Record<string, unknown>>): string {
  return Object.keys(migrations).at(-1)!;
}
