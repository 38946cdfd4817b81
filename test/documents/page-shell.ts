import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launcher } from "../support/gateway/launcher.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { findPostgres } from "../support/postgres/find-postgres.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { fillIn, SYSTEM_FOLDERS, type Examples, type Surroundings } from "./examples.ts";
import { placeOf, type Block } from "./fenced-blocks.ts";
import { PageGateway, type Environment } from "./page-gateway.ts";

const REFUSAL = 'echo "${0##*/} $* is not run by tests: write <!-- not run: reason --> above the block" >&2; exit 1';

/**
 * The programs of a reader: `npx tollgate` is the build of this checkout, and a started gateway keeps running independently of the shell.
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  npx: `case "$1 $2" in
  "tollgate start") shift; exec start-gateway "$@" ;;
  "tollgate "*) shift; exec "${launcher()}" "$@" ;;
esac
name=$1; shift
for folder in "${ROOT}" "${ROOT}/test/generated-clients"; do
  if [ -x "$folder/node_modules/.bin/$name" ]; then exec "$folder/node_modules/.bin/$name" "$@"; fi
done
set -- "$name" "$@"
${REFUSAL}`,
  tollgate: 'exec npx tollgate "$@"',
  // `npm test` runs this test itself.
  npm: `case "$*" in start) exec start-gateway start ;; test) exit ;; esac
${REFUSAL}`,
  // The service is the gateway of the page.
  systemctl: `case "$*" in "stop tollgate") exec control stop ;; "start tollgate" | "restart tollgate") exec control start start ;; esac
${REFUSAL}`,
  sudo: `case "$1" in systemctl) exec "$@" ;; esac
${REFUSAL}`,
  "start-gateway": 'exec control start "$@"',
  // Sends a command for the gateway to this process. The gateway receives the variables of the shell.
  control: 'action=$1; shift; env -0 | curl --unix-socket "$CONTROL" -H "x-arguments: $*" --data-binary @- "http://runner/$action"',
};

/**
 * A block that uses these programs must be marked as not run. Without that mark, they fail, so that the block cannot change the machine
 * that runs the tests.
 */
const REFUSED = "docker podman kubectl helm sysctl systemd-run mount apt apt-get pip useradd git ssh wget".split(" ");

/** HTTP errors are failures. */
const CURL_SETTINGS = "silent\nshow-error\nfail-with-body\n";

/** A reader waits until a stopped gateway has exited. */
const PRELUDE = `set -eE -o pipefail
exec 2>&1
trap 'echo "Failed: $BASH_COMMAND"' ERR
kill() {
  command kill "$@" || return
  if [ "$1" = -TERM ]; then while command kill -0 "$2" 2>/dev/null; do sleep 0.02; done; fi
}
`;

/** Marks the start of a block's output. */
const MARK = "\u0001";

export interface Page {
  readonly blocks: readonly Block[];
  readonly files: Readonly<Record<string, string>>;
  readonly database: Surroundings["database"];
}

/**
 * Runs the blocks of a page one after another, in one shell and one folder, like a reader who follows the page from the top. In addition to
 * the data of the examples, the folder has these files. Returns the output of the failed block, or nothing.
 */
export async function runPage({ blocks, files, database }: Page, examples: Examples): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-page-"));
  const gateway = new PageGateway();
  const control = serveControl(join(folder, "control"), gateway);
  try {
    cpSync(examples.dataFolder, join(folder, "data"), { recursive: true });
    const addresses = await gateway.open();
    const env = {
      ...examples.env,
      ...(database && { PGHOST: "127.0.0.1", PGPORT: String(database.port), PGUSER: "tollgate" }),
      PATH: [join(folder, "programs"), process.env["PATH"], findPostgres() ?? ""].join(":"),
      HOME: join(folder, "home"),
      CURL_HOME: join(folder, "home"),
      CONTROL: join(folder, "control"),
      TOLLGATE_PLATFORM_PORT: addresses.platform.split(":")[1]!,
    };
    for (const [name, text] of Object.entries(PROGRAMS)) writeFile(folder, `programs/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
    for (const name of REFUSED) writeFile(folder, `programs/${name}`, `#!/bin/sh\n${REFUSAL}\n`, 0o755);
    for (const name of SYSTEM_FOLDERS) mkdirSync(join(folder, name), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFile(folder, name, text);
    writeFile(folder, "home/.curlrc", CURL_SETTINGS);
    writeFile(folder, "script", PRELUDE + fillIn(blocks.map(commandsOf).join("\n"), examples, { ...addresses, folder, database }));
    await gateway.running({ ...env, PWD: folder });
    return await runScript(folder, env);
  } finally {
    await gateway.close();
    await control.stop(true);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A gateway runs before a block that stops it. */
function commandsOf(block: Block): string {
  const pid = block.text.includes("$PID") ? "PID=$(control running) || { echo $PID; exit 1; }\n" : "";
  // A failure of the first part of `one && two` does not end the shell.
  return `printf '${MARK}${placeOf(block)}\\n'\n${pid}${block.text}\nif [ $? != 0 ]; then exit 1; fi\n`;
}

function writeFile(folder: string, name: string, text: string, mode = 0o600): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text, { mode });
}

/** Serves the commands that the programs of the shell send. */
function serveControl(unix: string, gateway: PageGateway): Bun.Server<undefined> {
  return Bun.serve({
    unix,
    async fetch(request) {
      const variables = (await request.text()).split("\0").filter(Boolean);
      const env = Object.fromEntries(variables.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]));
      const args = (request.headers.get("x-arguments") ?? "").split(" ");
      try {
        return new Response(await act(gateway, new URL(request.url).pathname, args, env));
      } catch (error) {
        return new Response(String(error), { status: 500 });
      }
    },
  });
}

async function act(gateway: PageGateway, action: string, args: readonly string[], env: Environment): Promise<string> {
  if (action === "/running") return String(await gateway.running(env));
  if (action === "/start") return gateway.start(args, env);
  await gateway.stop();
  return "";
}

async function runScript(folder: string, env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(["bash", join(folder, "script")], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const limit = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
  const [output, code] = await Promise.all([child.stdout.text(), child.exited]);
  clearTimeout(limit);
  return code === 0 ? "" : `${output.slice(output.lastIndexOf(MARK) + 1)}(exit code ${code})`;
}
