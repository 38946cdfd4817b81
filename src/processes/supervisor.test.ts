import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually } from "../../test/support/eventually.ts";
import { Supervisor, type ProcessEvent } from "./supervisor.ts";

/** A program that ends on request. */
interface Program {
  readonly id: string;
  readonly pid: number;
  end(): void;
}

let programs: Program[];
let events: string[];
let reported: ProcessEvent[];
/** The processes whose journals cannot be applied, and those whose journals can be applied later. */
let damaged: string[];
let repaired: string[];
let silenceMs: number;
let startTimeoutMs: number;
/** If `undefined`, a new program neither listens nor ends. */
let startsListening: boolean | undefined;
let supervisor: Supervisor;

beforeEach(() => {
  programs = [];
  events = [];
  reported = [];
  [damaged, repaired] = [[], []];
  silenceMs = 0;
  startTimeoutMs = 60_000;
  startsListening = true;
});
afterEach(async () => {
  for (const program of programs) program.end();
  await supervisor.close();
});

const hello = { pid: 0, startedAtMs: Date.now(), statements: {} };

function newSupervisor(count: number): Supervisor {
  supervisor = new Supervisor({
    count,
    newId: () => `p${programs.length + 1}`,
    spawn: (id) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const program: Program = { id, pid: programs.length + 1, end: () => resolve(0) };
      programs.push(program);
      if (startsListening) setImmediate(() => listen(program));
      else if (startsListening === false) setImmediate(() => program.end());
      return { pid: program.pid, exited: promise };
    },
    drain: ({ id }) => end(`drain ${id}`, id),
    stop: ({ id }) => end(`stop ${id}`, id),
    kill: (pid) => end(`kill ${pid}`, programs[pid - 1]!.id),
    recover,
    silenceMs: () => silenceMs,
    drainMs: 60_000,
    startTimeoutMs,
    settingsDigest: "now",
    nowMs: Date.now,
    report: (event) => reported.push(event),
    reportFailure: (thrown) => events.push(String(thrown)),
  });
  return supervisor;
}

async function recover(id: string): Promise<readonly string[]> {
  events.push(`recover ${id}`);
  return damaged.includes(id) ? [] : [id, ...repaired];
}

function end(event: string, id: string): void {
  events.push(event);
  programs.find((each) => each.id === id)!.end();
}

/** Adopts a survivor whose pid is unknown. */
function adopt(id: string): Program {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const program: Program = { id, pid: programs.length + 1, end: () => resolve(undefined) };
  programs.push(program);
  supervisor.adopt(id, { pid: undefined, exited: promise });
  return program;
}

function listen(program: Program): void {
  // The last start of one test may happen in the next test.
  if (!programs.includes(program)) return;
  const { id, pid } = program;
  supervisor.joined({ ...hello, id, pid, settingsDigest: "now", isListening: false });
  supervisor.listening(id);
}

const ids = (): string[] => supervisor.processes.map(({ id }) => id);

test("starts the processes and resolves when they serve", async () => {
  await newSupervisor(2).start();
  expect(supervisor.processes.map(({ id, state }) => [id, state])).toEqual([
    ["p1", "live"],
    ["p2", "live"],
  ]);
});

test("fails where a process ends before it serves", async () => {
  startsListening = false;
  const [started] = await Promise.allSettled([newSupervisor(2).start()]);
  expect(String(started.status === "rejected" && started.reason.message)).toContain("p1 has ended before it could serve");
});

test("recovers the journal of a lost process and starts another in its place", async () => {
  await newSupervisor(2).start();
  programs[0]!.end();
  await eventually(ids, (now) => Bun.deepEquals(now, ["p2", "p3"]));
  expect(events).toEqual(["recover p1"]);
  expect(reported).toEqual([{ kind: "ended", id: "p1", exitCode: 0, restartInMs: 0 }]);
});

test("a process whose journal cannot be applied is replaced, and listed until it is recovered", async () => {
  await newSupervisor(2).start();
  damaged = ["p1"];
  programs[0]!.end();
  await eventually(ids, (now) => Bun.deepEquals(now, ["p1", "p2", "p3"]));
  expect([supervisor.processes[0]!.state, events]).toEqual(["disconnected", ["recover p1"]]);
  repaired = ["p1"];
  programs[1]!.end();
  await eventually(ids, (now) => Bun.deepEquals(now, ["p3", "p4"]));
});

test("nothing is sent to a process that has ended", async () => {
  await newSupervisor(1).start();
  damaged = ["p1"];
  programs[0]!.end();
  await eventually(ids, (now) => Bun.deepEquals(now, ["p1", "p2"]));
  await supervisor.drain();
  expect(events).toEqual(["recover p1", "drain p2", "recover p2"]);
});

test("waits longer after each loss", async () => {
  await newSupervisor(1).start();
  for (let at = 0; at < 3; at++) {
    programs.at(-1)!.end();
    await eventually(ids, (now) => Bun.deepEquals(now, [`p${at + 2}`]));
    await eventually(
      () => supervisor.processes[0]!.state,
      (state) => state === "live",
    );
  }
  expect(reported.map((each) => each.kind === "ended" && each.restartInMs)).toEqual([0, 100, 200]);
});

test("a rolling restart replaces one process after the other, each after its successor serves", async () => {
  await newSupervisor(2).start();
  await supervisor.restart();
  expect(ids()).toEqual(["p3", "p4"]);
  expect(events).toEqual(["drain p1", "recover p1", "drain p2", "recover p2"]);
  expect(reported).toEqual([{ kind: "restarted", count: 2 }]);
});

test("a rolling restart ends where a new process cannot serve, and the old one stays", async () => {
  await newSupervisor(1).start();
  startsListening = false;
  await supervisor.restart();
  expect(reported.map(({ kind }) => kind)).toEqual(["restart_failed"]);
  expect(ids()).toEqual(["p1"]);
  expect(events).not.toContain("drain p1");
});

test("a new process that does not serve in time is killed, at a start as in a rolling restart", async () => {
  startTimeoutMs = 10;
  startsListening = undefined;
  const [started] = await Promise.allSettled([newSupervisor(1).start()]);
  expect([started.status, events]).toEqual(["rejected", ["kill 1", "recover p1"]]);
  startsListening = true;
  await supervisor.start();
  startsListening = undefined;
  await supervisor.restart();
  expect(events.slice(2)).toEqual(["kill 3", "recover p3"]);
  expect(reported.map(({ kind }) => kind)).toEqual(["start_timeout", "start_timeout", "restart_failed"]);
});

test("a process that is lost in a rolling restart that fails is replaced", async () => {
  await newSupervisor(2).start();
  startsListening = undefined;
  const restart = supervisor.restart();
  programs[0]!.end();
  await eventually(
    () => reported.map(({ kind }) => kind),
    (kinds) => kinds.includes("ended"),
  );
  startsListening = true;
  programs[2]!.end();
  await restart;
  await eventually(ids, (now) => Bun.deepEquals(now, ["p2", "p4"]));
});

test("a survivor that ends before it has served is replaced", async () => {
  newSupervisor(1);
  const survivor = adopt("old");
  await supervisor.start();
  survivor.end();
  await eventually(ids, (now) => Bun.deepEquals(now, ["p2"]));
});

test("ends a process that hangs", async () => {
  await newSupervisor(1).start();
  silenceMs = 31_000;
  await eventually(
    () => events,
    (all) => all.includes("kill 1"),
  );
  silenceMs = 0;
  await eventually(ids, (now) => !now.includes("p1"));
});

test("a survivor is signalled only when its pid is known", async () => {
  newSupervisor(1);
  adopt("old");
  silenceMs = 31_000;
  await eventually(
    () => reported.map(({ kind }) => kind),
    (kinds) => kinds.includes("hung"),
  );
  expect(events).toEqual([]);
  supervisor.joined({ ...hello, id: "old", pid: 1, settingsDigest: "now", isListening: true });
  await eventually(
    () => events,
    (all) => all.includes("kill 1"),
  );
});

test("adopts survivors, ends those beyond the number, and replaces those with other settings", async () => {
  newSupervisor(1);
  for (const id of ["old1", "old2"]) {
    adopt(id);
    supervisor.joined({ ...hello, id, settingsDigest: "before", isListening: true });
  }
  await supervisor.start();
  await eventually(ids, (now) => Bun.deepEquals(now, ["p3"]));
  expect(events).toContain("drain old1");
  expect(events).toContain("drain old2");
});

test("a drain ends all, recovers their journals, and starts nothing", async () => {
  await newSupervisor(2).start();
  await supervisor.drain();
  expect(events.toSorted()).toEqual(["drain p1", "drain p2", "recover p1", "recover p2"]);
  expect([programs.length, ids()]).toEqual([2, []]);
});
