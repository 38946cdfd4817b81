import { Database } from "bun:sqlite";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { KillableGateway } from "../../crash/killable-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

export interface InstanceView {
  readonly id: string;
  readonly role: "owner" | "gateway";
  readonly state: string;
  readonly in_flight: number;
}

/** An owner process with its gateway processes. If the owner has ended, it is started again, like systemd does. */
export class KillableProcesses {
  readonly gateway: KillableGateway;
  readonly #count: number;
  readonly #folder: string;
  /** The delay before the next owner is started. */
  awayMs = 0;
  /** The exit codes of owners that were not killed. */
  readonly exits: number[] = [];
  /** Resolves when the next owner has started. */
  #next = Promise.withResolvers<void>();
  #isStopped = false;
  #keeping: Promise<void> = Promise.resolve();

  static async create(yaml: string, count: number, env: Record<string, string> = {}): Promise<KillableProcesses> {
    const gateway = await KillableGateway.create({
      yaml,
      env: { ...env, TOLLGATE_PROCESSES: String(count), TOLLGATE_DRAIN_SECONDS: "20" },
    });
    return new KillableProcesses(gateway, count);
  }

  private constructor(gateway: KillableGateway, count: number) {
    this.gateway = gateway;
    this.#count = count;
    this.#folder = realpathSync(gateway.folder);
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    this.gateway.spawn();
    this.#keeping = this.#keepRunning();
    await this.untilAllLive();
  }

  /** Resolves when the owner serves the platform, and reports that all gateway processes serve requests. */
  async untilAllLive(): Promise<void> {
    await eventually(
      () => this.live(),
      (ids) => ids.length === this.#count,
      { everyMs: 20 },
    );
  }

  /** The IDs of the gateway processes that serve requests, if the owner responds. */
  async live(): Promise<readonly string[]> {
    return (await this.instances()).filter(({ role, state }) => role === "gateway" && state === "live").map(({ id }) => id);
  }

  async instances(): Promise<readonly InstanceView[]> {
    try {
      return (await this.gateway.platform<{ data: readonly InstanceView[] }>("GET", "/api/instances")).data;
    } catch {
      return [];
    }
  }

  /** The process IDs of all gateway processes, including processes that have only just started. */
  get pids(): readonly number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => this.#isGatewayProcess(pid));
  }

  /** The folders of gateway processes in the data folder. */
  get folders(): readonly string[] {
    return readdirSync(join(this.#folder, "data", "processes"));
  }

  killOwner(): void {
    this.gateway.signal("SIGKILL");
  }

  killAll(): void {
    this.killOwner();
    this.killGateways();
  }

  killGateways(): void {
    for (const pid of this.pids) killNine(pid);
  }

  killOne(which: number): void {
    const { pids } = this;
    const pid = pids[Math.floor(which * pids.length)];
    if (pid !== undefined) killNine(pid);
  }

  /** Locks the database: no other process can write to it until the returned function is called. */
  lockDatabase(): () => void {
    const file = new Database(this.gateway.databasePath);
    file.run(`pragma busy_timeout = ${WAIT_LIMIT_MS}`);
    file.run("begin immediate");
    return () => {
      file.run("rollback");
      file.close();
    };
  }

  /** Resolves when the owner has been started again. */
  get nextOwner(): Promise<void> {
    return this.#next.promise;
  }

  /** Stops all processes gracefully, and resolves with the owner's exit code. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    this.gateway.signal("SIGTERM");
    const code = await this.gateway.exited;
    await this.#keeping;
    return code;
  }

  async remove(): Promise<void> {
    this.#isStopped = true;
    this.killOwner();
    await this.#keeping;
    this.killGateways();
    await this.gateway.remove();
  }

  async #keepRunning(): Promise<void> {
    for (;;) {
      const code = await this.gateway.exited;
      if (this.#isStopped) return;
      if (code !== null && code < 128) this.exits.push(code);
      await Bun.sleep(this.awayMs);
      if (this.#isStopped) return;
      this.gateway.spawn();
      this.#next.resolve();
      this.#next = Promise.withResolvers();
    }
  }

  #isGatewayProcess(pid: number): boolean {
    try {
      const isOurs = readlinkSync(`/proc/${pid}/cwd`) === this.#folder;
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("gateway-process");
    } catch {
      // The process has ended, or its ID belongs to another user's process.
      return false;
    }
  }
}

export function killNine(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended by itself.
  }
}
