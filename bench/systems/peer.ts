import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM_CORE } from "../machine/cores.ts";
import { freePort } from "../machine/free-port.ts";
import { untilListening } from "../machine/nginx.ts";
import { scratchFolder } from "../machine/scratch.ts";
import { startProcess } from "../machine/start-process.ts";
import { targetAt, type RunningSystem, type System, type SystemRequirements } from "./system.ts";

/** Peers are installed here, not among the packages of this project, because only the benchmark needs them. */
export const SYSTEMS = join(import.meta.dir, "../.systems");

/** A third-party gateway: how it is installed, configured and started. */
export interface Peer extends Omit<System, "start" | "startWithBudget" | "renames" | "reserializes"> {
  /** Installs the pinned version if it is missing. Returns null, or the reason why the installation is impossible. */
  install(): string | null;
  launch(place: Place): Launch;
}

export interface Place extends SystemRequirements {
  readonly port: number;
  /** The peer's own folder, for its files. */
  readonly folder: string;
  /** The upstream's URL up to `/v1`, with a host name that is in its certificate. */
  readonly url: string;
  /** The budget of the key that clients use. Null without one. */
  readonly budget: number | null;
}

export interface Launch {
  /** The command, which runs in the foreground, in the peer's folder. */
  readonly command: readonly string[];
  /** Files that are written into the peer's folder before it starts. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Headers that clients send, such as a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The path of chat completions, if it is not the usual one. */
  readonly path?: string;
}

/** On a busy machine Python takes long to load. */
const START_MS = 120_000;

export function systemOf(peer: Peer): System {
  const { name, version, settings, warmUpShare, noBudget } = peer;
  return {
    name,
    version,
    renames: false,
    reserializes: true,
    ...(settings && { settings }),
    ...(warmUpShare && { warmUpShare }),
    start: (wanted) => startPeer(peer, wanted, null),
    ...(noBudget ? { noBudget } : { startWithBudget: (wanted, dollars) => startPeer(peer, wanted, dollars) }),
  };
}

async function startPeer(peer: Peer, wanted: SystemRequirements, budget: number | null): Promise<RunningSystem> {
  const { name } = peer;
  const { url: address, authority } = wanted.upstream;
  const [port, folder] = [await freePort(), scratchFolder(name)];
  const url = authority ? address.replace("127.0.0.1", "localhost") : address;
  const { command, files = {}, environment, headers, path } = peer.launch({ ...wanted, port, folder, url, budget });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { mode: 0o600 });
  const trust = authority ? { NODE_EXTRA_CA_CERTS: authority, SSL_CERT_FILE: authority } : {};
  const logFile = join(folder, "output.log");
  const log = openSync(logFile, "w");
  const child = startProcess(SYSTEM_CORE, command, {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, HOME: folder, ...trust, ...environment },
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  await untilListening(port, child.exited, START_MS).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw new Error(`it did not start: ${String(error)} ${readFileSync(logFile, "utf8").slice(-300)}`);
  });
  return {
    name,
    pid: child.pid,
    target: targetAt(port, headers, path),
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a step of an installation. Returns null, or the end of its output. */
export function install(command: readonly string[], cwd: string, environment: Readonly<Record<string, string>> = {}): string | null {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...environment } });
  const output = `${stdout.toString()}${stderr.toString()}`.trim().slice(-300);
  return exitCode === 0 ? null : `${command.slice(0, 3).join(" ")} failed: ${output}`;
}
