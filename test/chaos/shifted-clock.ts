/**
 * Preloaded by Bun into a gateway. The wall clock is wrong by the number of milliseconds in a file, like a wrong clock of its machine. The
 * monotonic clock is correct.
 */
import { readFileSync } from "node:fs";

const file = process.env["CLOCK_SHIFT_FILE"]!;
const READ_EVERY_MS = 20;
const realNow = Date.now.bind(Date);
const RealDate = Date;
const realOrigin = performance.timeOrigin;
let shiftMs = 0;

function read(): void {
  shiftMs = Number(readFileSync(file, "utf8"));
}

const now = (): number => realNow() + shiftMs;
RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
});
Object.defineProperty(performance, "timeOrigin", { get: () => realOrigin + shiftMs });

read();
setInterval(read, READ_EVERY_MS).unref();
