import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM_CORE } from "../machine/cores.ts";
import { freePort } from "../machine/free-port.ts";
import { untilListening } from "../machine/nginx.ts";
import { scratchFolder } from "../machine/scratch.ts";
import { startProcess } from "../machine/start-process.ts";
import { targetAt, type System } from "./system.ts";

/** A gateway that is described by what starts it. `{port}`, `{folder}`, `{upstream}` and `{host}` stand for what a run has. */
interface Described {
  readonly name: string;
  readonly command: readonly string[];
  /** Written into a folder of its own before it starts. */
  readonly files: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly version: readonly string[];
}

const FILE = join(import.meta.dir, "../others.json");

/** The systems of others.json: those that are installed, and a line for each that is not. */
export function others(): { systems: System[]; leftOut: string[] } {
  const described = JSON.parse(readFileSync(FILE, "utf8")) as Described[];
  const isThere = ({ command }: Described): boolean => Bun.which(command[0]!) !== null;
  return {
    systems: described.filter(isThere).map(systemOf),
    leftOut: described.filter((each) => !isThere(each)).map(({ name, command }) => `${name}: ${command[0]} is not installed`),
  };
}

function systemOf({ name, command, files, environment, headers, path, version }: Described): System {
  return {
    name,
    version: Bun.spawnSync([...version], { stderr: "ignore" })
      .stdout.toString()
      .trim(),
    renames: false,
    async start({ upstream }) {
      const [port, folder] = [await freePort(), scratchFolder(name)];
      const url = upstream.authority ? upstream.url.replace("127.0.0.1", "localhost") : upstream.url;
      const values = { port: String(port), folder, upstream: url, host: url.replace(/\/v1$/, "") };
      const fill = (text: string): string =>
        text.replaceAll(/\{(port|folder|upstream|host)\}/g, (_, of: keyof typeof values) => values[of]);
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), fill(text), { mode: 0o600 });
      const trust = upstream.authority ? { NODE_EXTRA_CA_CERTS: upstream.authority, SSL_CERT_FILE: upstream.authority } : {};
      const child = startProcess(SYSTEM_CORE, command.map(fill), {
        cwd: folder,
        env: { PATH: process.env["PATH"]!, HOME: folder, ...trust, ...environment },
        stdout: "ignore",
        stderr: "ignore",
      });
      await untilListening(port, child.exited);
      return {
        name,
        pid: child.pid,
        target: targetAt(port, headers, path),
        async stop() {
          child.kill("SIGKILL");
          await child.exited;
        },
      };
    },
  };
}
