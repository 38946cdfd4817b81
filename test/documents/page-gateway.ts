import { existsSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { findFreePort } from "../../src/lib/http1/server/free-port.ts";
import { SETTINGS } from "../../src/config.ts";
import { CREDENTIAL_VARIABLES } from "../../src/models/presets.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { follow, waitFor } from "../support/gateway/start-gateway.ts";

const MAX_ATTEMPTS = 5;

/** The output of a gateway whose port another program has taken meanwhile. A taken unix socket stays taken. */
const PORT_TAKEN = /Failed to listen at \S+, port \d+: another program listens there/;

export type Environment = Readonly<Record<string, string>>;

/** The gateway of a page, which the page's commands start, stop and start again. Its URLs stay the same. */
export class PageGateway {
  readonly #gateway = new Forwarder();
  readonly #platform = new Forwarder();
  readonly #findPort: () => number;
  #child: Bun.Subprocess | undefined;

  /** `findPort` returns a free port; the gateway and the platform have one each. */
  constructor(findPort = () => findFreePort("127.0.0.1", 0)) {
    this.#findPort = findPort;
  }

  /** The host and port of the forwarders in front of the listeners. */
  async open(): Promise<{ readonly gateway: string; readonly platform: string }> {
    return { gateway: await this.#gateway.listen(), platform: await this.#platform.listen() };
  }

  /** Starts a new gateway instead of the previous one, in the folder PWD, and returns its output. */
  async start(args: readonly string[], env: Environment): Promise<string> {
    await this.stop();
    // Without a config file the gateway would request the models of these credentials' providers.
    const withheld = existsSync(join(env["PWD"]!, "tollgate.yaml")) ? [] : CREDENTIAL_VARIABLES;
    const given = Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.includes(name)));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(args, given);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !PORT_TAKEN.test(String(error))) throw error;
      }
    }
  }

  /** The process ID of the gateway. Starts it if it is stopped. */
  async running(env: Environment): Promise<number> {
    if (this.#child?.exitCode !== null) await this.start(["start"], env);
    return this.#child!.pid;
  }

  async close(): Promise<void> {
    await this.stop();
    this.#gateway.close();
    this.#platform.close();
  }

  async #attempt(args: readonly string[], env: Environment): Promise<string> {
    const gateway = this.#findPort();
    let platform = this.#findPort();
    // The system may pick the same port twice.
    while (platform === gateway) platform = this.#findPort();
    const child = Bun.spawn([launcher(), ...new Set([...args, "--json"])], {
      cwd: env["PWD"]!,
      // A listener has a port or a unix socket.
      env: {
        ...env,
        [SETTINGS.port]: env[SETTINGS.socket] ? "" : String(gateway),
        [SETTINGS.platformPort]: env[SETTINGS.platformSocket] ? "" : String(platform),
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#child = child;
    let output = "";
    const printed = [child.stdout, child.stderr].map((stream) => follow(stream, (text) => (output += text)));
    // The reason of an exit is complete after its output has ended.
    const exited = Promise.all(printed).then(() => child.exited);
    const isListening = (): boolean => output.split("\n").some((line) => line.startsWith('{"base_url"'));
    await waitFor(isListening, exited, () => output);
    this.#gateway.port = gateway;
    this.#platform.port = platform;
    return output;
  }

  async stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.#child?.exited;
  }
}

/** Forwards connections to a port that changes. */
class Forwarder {
  port = 0;
  readonly #server: Server = createServer((client) => {
    const target = connect(this.port, "127.0.0.1");
    for (const [one, other] of [[client, target] as const, [target, client] as const]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}
