import { isatty } from "node:tty";
import type { TextOutput } from "../../../lib/log/log.ts";
import type { Tollgate } from "../../../main.ts";
import type { ServiceNotifier } from "./notify-service.ts";
import type { ClosingFailure } from "../../../stores/closing.ts";

/** Exit code: everything was written and closed. */
const CLOSED = 0;
/** Exit code: something could not be written or closed. */
const NOT_CLOSED = 1;

/** How long the exit waits for its last message to be written. */
const MESSAGE_LIMIT_MS = 1000;

/** How long closing may take after the drain: an upper bound. Every step of closing has its deadline within this time. */
const CLOSING_SECONDS = 15;

const SHELL_CHECKED_EVERY_MS = 500;

interface StopOptions {
  readonly tollgate: Tollgate;
  readonly service: ServiceNotifier;
  readonly drainSeconds: number;
  readonly isRunByNpx: boolean;
  /** Writes messages for the operator. */
  readonly write: TextOutput;
}

/**
 * The first signal drains: in-flight requests are finished, for a limited number of seconds. The second cancels them and closes; a signal
 * while closing ends the process immediately.
 */
export function stopOnSignals(options: StopOptions): void {
  const { tollgate, service } = options;
  const stopping = new GracefulStop(options);
  const stop = (): void => stopping.signalled();
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // SIGHUP reloads the config file. A terminal that is closed also sends it to the processes that were started in it.
  const terminal = [0, 1].find((descriptor) => isatty(descriptor));
  process.on("SIGHUP", () => void (terminal !== undefined && !isatty(terminal) ? stop() : reload(tollgate, service)));
  process.on("SIGUSR2", () => void tollgate.restart());
  if (options.isRunByNpx) stopWithShell(stop);
}

/** npx runs the command in a shell, and forwards its signals only to this shell. If the shell ends, it has received a signal. */
function stopWithShell(stop: () => void): void {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    stop();
  }, SHELL_CHECKED_EVERY_MS);
  timer.unref();
}

async function reload(tollgate: Tollgate, service: ServiceNotifier): Promise<void> {
  service.reloading();
  await tollgate.reload();
  service.ready();
}

class GracefulStop {
  readonly #tollgate: Tollgate;
  readonly #service: ServiceNotifier;
  readonly #drainSeconds: number;
  readonly #write: TextOutput;
  #state: "running" | "draining" | "closing" = "running";
  readonly #secondSignal = Promise.withResolvers<void>();

  constructor({ tollgate, service, drainSeconds, write }: StopOptions) {
    this.#tollgate = tollgate;
    this.#service = service;
    this.#drainSeconds = drainSeconds;
    this.#write = write;
  }

  signalled(): void {
    if (this.#state === "running") void this.#stop();
    else if (this.#state === "draining") this.#secondSignal.resolve();
    else this.#tollgate.endDrain();
  }

  async #stop(): Promise<void> {
    this.#state = "draining";
    this.#service.stopping(this.#drainSeconds + CLOSING_SECONDS);
    await this.#drain();
    this.#state = "closing";
    const failures = await this.#tollgate.close();
    if (failures.length > 0) await this.#say(describe(failures));
    process.exit(failures.length > 0 ? NOT_CLOSED : CLOSED);
  }

  async #drain(): Promise<void> {
    const count = await this.#tollgate.countPending();
    if (count > 0) void this.#say(`Finishing ${requests(count)}, for up to ${this.#drainSeconds} s. Send the signal again to stop now.\n`);
    await Promise.race([this.#tollgate.drain(), this.#secondSignal.promise, Bun.sleep(this.#drainSeconds * 1000)]);
    const rest = await this.#tollgate.countPending();
    if (rest > 0) void this.#say(`Cancelling ${requests(rest)}. The next start releases their holds.\n`);
  }

  /** A pipe without a reader must not keep the process alive. */
  async #say(text: string): Promise<void> {
    await Promise.race([this.#write(text), Bun.sleep(MESSAGE_LIMIT_MS)]);
  }
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}

function describe(failures: readonly ClosingFailure[]): string {
  return failures.map(({ step, reason }) => `Could not close the ${step}: ${reason}.\n`).join("");
}
