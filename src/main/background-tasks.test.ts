import { afterEach, beforeEach, expect, test } from "bun:test";
import { ManualTimers } from "../../test/ledger-model/manual-timers.ts";
import type { BackgroundTask } from "../lib/async/background-task.ts";
import { BackgroundTasks } from "./background-tasks.ts";

let timers: ManualTimers;
/** The task of each slice, and the number of items that were requested. */
let done: [string, number][];

beforeEach(() => {
  done = [];
  timers = new ManualTimers();
  timers.install();
});
afterEach(() => timers.uninstall());

class CountedTask implements BackgroundTask {
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

/** Simulates this number of responses in one turn of the event loop, up to the end of the turn. */
function answer(spare: BackgroundTasks, times = 1): void {
  const ended = {} as Parameters<BackgroundTasks["observe"]>[0];
  for (let at = 0; at < times; at++) spare.observe(ended);
  expect(done).toEqual([]);
  timers.fireImmediates();
}

const takeDone = (): [string, number][] => done.splice(0);

test("runs one slice of the task with the most work after each response", () => {
  const spare = new BackgroundTasks([new CountedTask("ledger", 20), new CountedTask("log", 40), new CountedTask("lines", 15)]);
  const pieces = Array.from({ length: 5 }, () => (answer(spare), takeDone()));
  expect(pieces).toEqual([[["log", 16]], [["log", 16]], [["ledger", 16]], [], []]);
});

test("runs and prepares nothing while there is little work", () => {
  const task = new CountedTask("log", 15);
  const spare = new BackgroundTasks([task]);
  answer(spare);
  task.waiting = 16;
  timers.fireImmediates();
  expect(takeDone()).toEqual([]);
  answer(spare);
  expect(takeDone()).toEqual([["log", 16]]);
});

test("runs a larger slice when many responses end together, or leaves it to the task's timer", () => {
  const task = new CountedTask("log", 100);
  const spare = new BackgroundTasks([task]);
  answer(spare, 7);
  expect(takeDone()).toEqual([]);
  answer(spare, 6);
  expect([takeDone(), task.waiting]).toEqual([[["log", 96]], 4]);
  task.waiting = 16;
  answer(spare);
  expect(takeDone()).toEqual([["log", 16]]);
});
