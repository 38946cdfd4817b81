import { relative } from "node:path";
import { isatty } from "node:tty";
import { loadConfig, SETTINGS, type Config } from "../../../config.ts";
import type { ListenerSettings } from "../../../config/listener-settings.ts";
import { formatAsJson, formatAsText, type LineFormat } from "../../../lib/log/log-format.ts";
import { redactSecrets } from "../../../http/redact-secrets.ts";
import { createLog, logFailure, type Log, type LogSink, type TextOutput } from "../../../lib/log/log.ts";
import { STARTING_CREDIT } from "../../../main/first-run.ts";
import { start, type Tollgate } from "../../../main.ts";
import { CannotMigrate } from "../../../stores/cannot-migrate.ts";
import { DataMoved } from "../../../stores/data-moved.ts";
import { DatabaseInUse, FolderInUse } from "../../../stores/folder-lock.ts";
import { ProcessesRunning } from "../../../stores/ledger/processes/open-ledger.ts";
import { FolderDamaged } from "../../../stores/integrity/folder-damaged.ts";
import { SecretLost } from "../../../stores/vault.ts";
import type { Discovery } from "../../../upstreams/discover-models.ts";
import { DEFAULT_ACCOUNT } from "../../../access/account.ts";
import { formatDollars } from "../../../money/money.ts";
import { baseUrlOf } from "../../../lib/net/public-address.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { TraceSettings } from "../../../telemetry/traces/trace-settings.ts";
import { CommandFailed, type Invocation } from "../../command.ts";
import { compileSoon } from "./compile-later.ts";
import { serviceNotifier } from "./notify-service.ts";
import { stopOnSignals } from "./stop-on-signals.ts";
import { TOLLGATE } from "../../../lib/this-program.ts";
import { fstatSync, write as writeDescriptor } from "node:fs";
import { promisify } from "node:util";

const STDOUT = 1;

/** Starts both listeners and prints the greeting. The process then runs until it receives a signal. */
export async function runGateway({ json, options }: Invocation): Promise<void> {
  const config = await loadConfig(undefined, { processes: options["processes"], role: options["role"] });
  const write = serialOutput(outputWriter(process.stdout));
  const logFormat = chooseFormat(config, json);
  const log = createLog({ output: write, format: FORMATS[logFormat], redact: redactSecrets, level: config.logLevel });
  surviveStrayRejections(log);
  const tollgate = await startOrExplain(config, log, { output: write, format: logFormat });
  compileSoon();
  const service = serviceNotifier(config.notifySocket, log);
  stopOnSignals({
    tollgate,
    service,
    drainSeconds: config.drainSeconds,
    isRunByNpx: config.isRunByNpx,
    write: outputWriter(process.stderr),
  });
  service.ready();
  const discoveries = await tollgate.discovered;
  const keyCount = tollgate.countKeys();
  // Created last, just before it is shown: a start that fails earlier leaves no key whose secret nobody has seen.
  const isFirst = config.file === undefined && keyCount === 0 && config.database?.role !== "gateway";
  const firstKey = isFirst ? await tollgate.makeFirstKey() : undefined;
  const started = { config, tollgate, discoveries, keyCount, firstKey };
  await write(json ? `${JSON.stringify(describe(started))}\n` : await greeting(started));
}

const FORMATS: Readonly<Record<LogSink["format"], LineFormat>> = { json: formatAsJson, text: formatAsText };

/** Text in a terminal, JSON elsewhere. */
function chooseFormat({ logFormat }: Config, json: boolean): LogSink["format"] {
  return logFormat ?? (isatty(STDOUT) && !json ? "text" : "json");
}

/** An unhandled rejection is a bug, but must not end all in-flight requests, as it would by default. */
function surviveStrayRejections(log: Log): void {
  process.on("unhandledRejection", (reason) => logFailure(log, "unhandled promise rejection", reason));
}

const WHERE_TO_LISTEN = `${SETTINGS.port} and ${SETTINGS.platformPort} choose other ports, ${SETTINGS.host} and ${SETTINGS.platformHost} other addresses, ${SETTINGS.socket} and ${SETTINGS.platformSocket} unix sockets.`;

/** The error codes of a full disk, from the system and SQLite; the last one is for SQLite's shared-memory file. */
const FULL_DISK = /^(ENOSPC|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/;

async function startOrExplain(config: Config, log: Log, sink: LogSink): Promise<Tollgate> {
  try {
    return await start(config, log, sink);
  } catch (error) {
    if (error instanceof FolderInUse) throw new CommandFailed(`${error.message}. ${SETTINGS.data} chooses another folder.`);
    if (error instanceof FolderDamaged) throw new CommandFailed(error.message, { problem: { code: "data_damaged" } });
    if (error instanceof CannotMigrate || error instanceof DataMoved) throw new CommandFailed(`${error.message}.`);
    if (error instanceof ProcessesRunning) throw new CommandFailed(`${error.message}. End them first.`);
    if (error instanceof DatabaseInUse) throw new CommandFailed(`${error.message}. Stop it first.`);
    if (error instanceof StorageUnavailable) throw new CommandFailed(explainStorage(error, config));
    if (error instanceof SecretLost) {
      throw new CommandFailed(
        `${error.message} Set ${SETTINGS.secret} to it; to change it, set ${SETTINGS.oldSecret} to it as well as the new one.`,
      );
    }
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (FULL_DISK.test(String(error.code))) throw new CommandFailed(`the disk of ${config.dataFolder} is full.`);
    const isAboutListening = "syscall" in error && /^(listen|getaddrinfo)$/.test(String(error.syscall));
    throw new CommandFailed(isAboutListening ? `${error.message}. ${WHERE_TO_LISTEN}` : error.message);
  }
}

function explainStorage({ message, cause }: StorageUnavailable, { database, dataFolder }: Config): string {
  if (!database) return `the data folder ${dataFolder} cannot be written: ${message}.`;
  const reason = cause instanceof Error ? database.url.redactFrom(cause.message) : message;
  return `the database of ${SETTINGS.databaseUrl} cannot be used: ${reason}. Examine it with: ${TOLLGATE} preflight`;
}

const FOUND_IN_A_LINE = 5;

/** The parts of a start that the greeting shows. */
interface StartedGateway {
  readonly config: Config;
  readonly tollgate: Tollgate;
  readonly discoveries: readonly Discovery[];
  readonly keyCount: number;
  readonly firstKey: Secret | undefined;
}

function describe({ config, tollgate, discoveries, firstKey }: StartedGateway): object {
  const found = discoveries.filter((each) => each.problem === undefined);
  return {
    base_url: `${tollgate.gatewayUrl}/v1`,
    platform_url: tollgate.platformUrl,
    socket: config.gateway.socket?.path ?? null,
    platform_socket: config.platform.socket?.path ?? null,
    key: firstKey?.reveal() ?? null,
    sign_in_url: tollgate.signInUrl?.reveal() ?? null,
    discovered: found.map((each) => ({ upstream: each.upstream.id, models: each.models.map((model) => model.id) })),
  };
}

async function greeting({ config, tollgate, discoveries, keyCount, firstKey }: StartedGateway): Promise<string> {
  const rows = [
    ["Base URL", `${tollgate.gatewayUrl}/v1${onSocket(config.gateway)}`],
    ...platformRows(config, tollgate),
    ...(config.oidc ? [["Sign-in", `password, SSO at ${config.oidc.issuer}`]] : []),
    ...modelsLines(config, tollgate, discoveries).map((line, at) => [at === 0 ? "Models" : "", line]),
    ...problemsOf(discoveries).map((problem) => ["", problem]),
    ...config.withoutBaseUrl.map(({ id, variable }) => ["", `none of ${id}: ${variable} is not set`]),
    ...tollgate.warnings.map((warning) => ["", warning]),
    ...(config.traces ? [["Traces", tracesLine(config.traces)]] : []),
    ["Keys", firstKey ? `${firstKey.reveal()}  (shown only once)` : `${keyCount}; ${TOLLGATE} keys list`],
    ...(firstKey ? [["Credit", `$${formatDollars(STARTING_CREDIT)} to try it out, on the account ${DEFAULT_ACCOUNT}`]] : []),
  ];
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(14)}${value}`);
  const model = tollgate.exampleModel(discoveries) ?? "echo";
  const next = firstKey ? tryIt(config, tollgate, firstKey.reveal(), model) : nextSteps(keyCount, await tollgate.hasCredit());
  return `\nTollgate is listening.\n\n${lines.join("\n")}\n\n${next === "" ? "" : `${next}\n`}`;
}

function nextSteps(keyCount: number, hasCredit: boolean): string {
  const key = `Create a key:  ${TOLLGATE} keys create --name 'my application' --models '*'\n`;
  const credit = `Grant credit:  ${TOLLGATE} credits grant ${DEFAULT_ACCOUNT} 10 --reason 'initial credit'\n`;
  return `${keyCount === 0 ? key : ""}${hasCredit ? "" : credit}`;
}

function platformRows(config: Config, tollgate: Tollgate): string[][] {
  if (config.database?.role === "gateway") return [["Metrics", `${tollgate.platformUrl}/metrics${onSocket(config.platform)}`]];
  const token = config.operatorToken ? "" : `, operator token in ${fromHere(config.dataFolder)}/operator-token`;
  return [
    ["Console", consoleLine(config, tollgate)],
    ["Platform", `${tollgate.platformUrl}${onSocket(config.platform)}${token}`],
  ];
}

function consoleLine({ platformUrl }: Config, tollgate: Tollgate): string {
  if (tollgate.signInUrl) return `${tollgate.signInUrl.reveal()}  (open it to choose a password; works once, for one hour)`;
  return platformUrl ? baseUrlOf(platformUrl) : tollgate.platformUrl;
}

/** The origin of the collector. The path is omitted, because for some collectors it contains a token. */
function tracesLine({ endpoint, hasContent }: TraceSettings): string {
  return `${new URL(endpoint).origin}${hasContent ? ", with prompts and responses" : ""}`;
}

function onSocket({ socket }: ListenerSettings): string {
  return socket ? `, at the unix socket ${socket.path}` : "";
}

/** The options of an example request that connects directly to the listener. */
function curlOptions({ gateway, gatewayUrl }: Config, { selfSignedFile }: Tollgate): string {
  const options = [
    ...(gateway.socket && gatewayUrl === undefined ? ["--unix-socket", gateway.socket.path] : []),
    ...(selfSignedFile === undefined ? [] : ["--cacert", selfSignedFile]),
  ];
  return options.map((each) => `${quote(each)} `).join("");
}

/** Quotes a text for a shell. */
function quote(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function tryIt(config: Config, tollgate: Tollgate, key: string, model: string): string {
  return `Try it:

curl ${curlOptions(config, tollgate)}${tollgate.gatewayUrl}/v1/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello!"}]}'

Add "stream": true to stream the response.
`;
}

function modelsLines(config: Config, tollgate: Tollgate, discoveries: readonly Discovery[]): string[] {
  const count = tollgate.countOperatorModels();
  const created = count === 0 ? [] : [`${count} created by operators`];
  if (config.file !== undefined) return [`${config.declared.catalog.size}, declared in ${fromHere(config.file)}`, ...created];
  const found = discoveries.filter((each) => each.problem === undefined).map(countModels);
  const groups = Map.groupBy(found, (_, at) => Math.floor(at / FOUND_IN_A_LINE));
  return ["echo, built in", ...[...groups.values()].map((line) => line.join(", ")), ...created];
}

function countModels({ models, upstream }: Discovery): string {
  const { chat = [], embedding = [] } = Object.groupBy(models, ({ kind }) => kind);
  return `${chat.length} from ${upstream.id}${embedding.length === 0 ? "" : ` (and ${embedding.length} for embeddings)`}`;
}

/** A provider with a key in the environment is expected to respond; a local server is not. */
function problemsOf(discoveries: readonly Discovery[]): string[] {
  const meant = discoveries.filter(({ upstream }) => upstream.credentials.length > 0);
  return meant.flatMap(({ upstream, problem }) => (problem === undefined ? [] : [`none from ${upstream.id}: ${problem}`]));
}

function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

const RETRY_MS = 50;

const writeBytes = promisify(writeDescriptor);

/**
 * A writer for stdout or stderr that never blocks the event loop. Bun writes to a pipe only while the pipe has space, but blocks on a
 * terminal that was stopped (Ctrl-S), and so blocks every request. Terminals and files are therefore written from the thread pool.
 */
function outputWriter(output: NodeJS.WriteStream & { fd: number }): TextOutput {
  const stats = fstatSync(output.fd);
  return stats.isFIFO() || stats.isSocket() ? pipeWriter(output) : (text) => writeFile(output.fd, text);
}

function pipeWriter(output: NodeJS.WriteStream): TextOutput {
  // The reader of the log may close the pipe (`| head`); the gateway continues.
  output.on("error", () => undefined);
  return (text) => new Promise((resolve) => output.write(text, (error) => resolve(!error)));
}

/** A full disk may have space again later: text that could not be written is lost, and the next text is attempted again. */
async function writeFile(descriptor: number, text: string): Promise<boolean> {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(await writeSome(descriptor, rest));
    } catch {
      return false;
    }
  }
  return true;
}

/** Returns the number of bytes written. EAGAIN: a terminal may be shared with a program that made it non-blocking. */
async function writeSome(descriptor: number, bytes: Uint8Array): Promise<number> {
  try {
    return (await writeBytes(descriptor, bytes)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    await Bun.sleep(RETRY_MS);
    return 0;
  }
}

/** An output for several writers: a text is written only after the previous text was written, so that two texts never mix. */
export function serialOutput(output: TextOutput): TextOutput {
  let last: Promise<unknown> = Promise.resolve();
  return (text) => {
    const written = last.then(() => output(text));
    last = written.catch(() => undefined);
    return written;
  };
}
