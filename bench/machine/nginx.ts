import { rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";
import { startProcess } from "./start-process.ts";
import { NGINX } from "./tools.ts";

export interface RunningNginx {
  readonly pid: number;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Runs nginx with one worker on these cores, in its own folder. `http` is the content of the block `http { }`. */
export async function startNginx(cores: string, port: number, http: string): Promise<RunningNginx> {
  const folder = scratchFolder("nginx");
  const conf = join(folder, "nginx.conf");
  writeFileSync(conf, configOf(folder, http));
  const child = startProcess(cores, [NGINX!, "-c", conf, "-e", join(folder, "error.log")], { stdout: "ignore", stderr: "ignore" });
  await untilListening(port, child.exited);
  return {
    pid: child.pid,
    folder,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Connections stay open for as long as nginx runs, and bodies stay in memory. */
function configOf(folder: string, http: string): string {
  return `
worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 30000; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s; tcp_nodelay on;
  client_max_body_size 20m; client_body_buffer_size 2m;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  ${http}
}
`;
}

/** Waits until a process accepts connections at a port. Gives up after 30 seconds or the given time, or when the process has ended. */
export async function untilListening(port: number, ended: Promise<number>, withinMs = 30_000): Promise<void> {
  let exit: number | undefined;
  void ended.then((code) => (exit = code));
  for (const deadline = Date.now() + withinMs; Date.now() < deadline;) {
    if (await connects(port)) return;
    if (exit !== undefined) throw new Error(`The process for port ${port} ended with ${exit}.`);
    await Bun.sleep(1);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
