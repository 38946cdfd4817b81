import { afterEach, beforeEach, expect, test } from "bun:test";
import { HandTimers } from "../../test/ledger-model/hand-timers.ts";
import type { BackgroundTask } from "../lib/async/background-task.ts";
import { BackgroundTasks } from "./background-tasks.ts";

let timers: HandTimers;
/** Each piece that was done, of which chore and how much of it was asked for. */
let done: [string, number][];

beforeEach(() => {
  done = [];
  timers = new HandTimers();
  timers.install();
});
afterEach(() => timers.uninstall());

class Counted implements BackgroundTask {
  readonly #name: string;
  waiting: number;

  constructor(name: string, waiting: number) {
    this.#name = name;
    this.waiting = waiting;
  }

  runSlice(items: number): void {
    done.push([this.#name, items]);
    this.waiting -= items;
  }
}

/** So many answers in one turn of the event loop, to its end. */
function answer(spare: BackgroundTasks, times = 1): void {
  const ended = {} as Parameters<BackgroundTasks["observe"]>[0];
  for (let at = 0; at < times; at++) spare.observe(ended);
  expect(done).toEqual([]);
  timers.fireImmediates();
}

const takeDone = (): [string, number][] => done.splice(0);

test("one piece of the chore of which most waits is done behind an answer, and the next one behind the next", () => {
  const spare = new BackgroundTasks([new Counted("ledger", 20), new Counted("log", 40), new Counted("lines", 15)]);
  const pieces = Array.from({ length: 5 }, () => (answer(spare), takeDone()));
  expect(pieces).toEqual([[["log", 16]], [["log", 16]], [["ledger", 16]], [], []]);
});

test("nothing is done, nor prepared, while little waits", () => {
  const chore = new Counted("log", 15);
  const spare = new BackgroundTasks([chore]);
  answer(spare);
  chore.waiting = 16;
  timers.fireImmediates();
  expect(takeDone()).toEqual([]);
  answer(spare);
  expect(takeDone()).toEqual([["log", 16]]);
});

test("where many are answered together the piece is as much larger, or is left to who has it", () => {
  const chore = new Counted("log", 100);
  const spare = new BackgroundTasks([chore]);
  answer(spare, 7);
  expect(takeDone()).toEqual([]);
  answer(spare, 6);
  expect([takeDone(), chore.waiting]).toEqual([[["log", 96]], 4]);
  chore.waiting = 16;
  answer(spare);
  expect(takeDone()).toEqual([["log", 16]]);
});
