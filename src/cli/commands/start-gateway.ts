import { relative } from "node:path";
import { loadConfig, SETTINGS, type Config } from "../../config.ts";
import { createLog, formatAsJson, formatForTerminal, type Log } from "../../http/log.ts";
import { start, type Tollgate } from "../../main.ts";
import { FolderInUse } from "../../stores/folder-lock.ts";
import type { Discovery } from "../../upstreams/discover.ts";
import { CommandFailed, type Command } from "../command.ts";

export const startGateway: Command = {
  summary: "Starts the gateway and the platform, in this terminal.",
  options: {},
  operands: [],
  async run({ json }) {
    const config = await loadConfig();
    const log = createLog(put, process.stdout.isTTY && !json ? formatForTerminal : formatAsJson);
    const tollgate = await startOrExplain(config, log);
    stopOnSignals(tollgate);
    const found = await tollgate.discovered;
    put(json ? `${JSON.stringify(describe(tollgate, found))}\n` : greeting(config, tollgate, found));
  },
};

function put(text: string): void {
  process.stdout.write(text);
}

async function startOrExplain(config: Config, log: Log): Promise<Tollgate> {
  try {
    return await start(config, log);
  } catch (error) {
    if (error instanceof FolderInUse) throw new CommandFailed(`${error.message}. ${SETTINGS.data} chooses another folder.`);
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new CommandFailed(`${error.message} ${SETTINGS.port} and ${SETTINGS.platformPort} choose other ports.`);
    }
    throw error;
  }
}

/** The first signal lets answers under way finish; the second does not wait for them. */
function stopOnSignals(tollgate: Tollgate): void {
  let asked = 0;
  const stop = async (): Promise<void> => {
    if (++asked === 1) {
      if (tollgate.pendingRequests > 0) process.stderr.write(`Finishing ${tollgate.pendingRequests} requests. Once more to stop now.\n`);
      await tollgate.drain();
    }
    await tollgate.close();
    process.exit(0);
  };
  process.on("SIGINT", () => void stop());
  process.on("SIGTERM", () => void stop());
}

function describe(tollgate: Tollgate, found: readonly Discovery[]): object {
  return {
    base_url: `${tollgate.gatewayUrl}/v1`,
    platform_url: tollgate.platformUrl,
    key: tollgate.firstKey?.reveal() ?? null,
    discovered: found.map((each) => ({ upstream: each.upstream.id, models: each.models.map((model) => model.id) })),
  };
}

function greeting(config: Config, tollgate: Tollgate, found: readonly Discovery[]): string {
  const rows = [
    ["Base address", `${tollgate.gatewayUrl}/v1`],
    [
      "Platform",
      `${tollgate.platformUrl}${config.operatorToken ? "" : `, operator token in ${fromHere(config.dataFolder)}/operator-token`}`,
    ],
    ["Models", modelsLine(config, found)],
    ...(tollgate.firstKey ? [["Your key", `${tollgate.firstKey.reveal()}  (shown this once)`]] : []),
  ];
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(14)}${value}`);
  const next = tollgate.firstKey
    ? tryIt(tollgate.gatewayUrl, tollgate.firstKey.reveal())
    : "Make a key with: npx tollgate keys create --name 'my application' --models '*'\n";
  return `\nTollgate is listening.\n\n${lines.join("\n")}\n\n${next}\n`;
}

function tryIt(gatewayUrl: string, key: string): string {
  return `Try it:

curl ${gatewayUrl}/v1/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "echo", "messages": [{"role": "user", "content": "Hello!"}]}'

Put "stream": true into it for a stream.
`;
}

function modelsLine(config: Config, found: readonly Discovery[]): string {
  if (config.file !== undefined) return `${config.catalog.size}, declared in ${fromHere(config.file)}`;
  const discovered = found.map((each) => `${each.models.length} of ${each.upstream.id}`);
  return ["echo, built in", ...discovered].join("; ");
}

function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
