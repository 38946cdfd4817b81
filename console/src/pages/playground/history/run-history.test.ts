import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ChatResponse } from "../response/chat-response.ts";
import { turn } from "../conversation.ts";
import { EMPTY_DRAFT } from "../draft.ts";
import type { Run } from "../use-run.ts";
import { addRun, clearHistory, readHistory, removeRun } from "./run-history.ts";
import { reopened, toStored, type StoredRun } from "./stored-run.ts";

/** A storage with a quota in characters. */
class FakeStorage {
  readonly kept = new Map<string, string>();
  quota = 5_000_000;
  getItem = (name: string): string | null => this.kept.get(name) ?? null;
  setItem = (name: string, text: string): void => {
    if (text.length > this.quota) throw new DOMException("full", "QuotaExceededError");
    this.kept.set(name, text);
  };
}

const here = globalThis as { localStorage?: unknown };
let storage: FakeStorage;

const run = (id: string, system = ""): StoredRun => ({
  id,
  keyId: "key_1",
  draft: { ...EMPTY_DRAFT, system },
  hadImages: false,
  responses: [],
});
const ids = (person = "ada"): string[] => readHistory(person).runs.map(({ id }) => id);

describe("the history of runs", () => {
  beforeEach(() => void (here.localStorage = storage = new FakeStorage()));
  afterEach(() => void delete here.localStorage);

  test("has the newest 50 runs of a person, each once", () => {
    for (let at = 1; at <= 60; at++) addRun("ada", run(`run-${at}`));
    addRun("ada", run("run-30", "after a retry"));
    expect(ids().slice(0, 2)).toEqual(["run-30", "run-60"]);
    expect(ids()).toHaveLength(50);
    expect(ids("grace")).toEqual([]);
  });

  test("leaves out what does not fit", () => {
    addRun("ada", run("small"));
    addRun("ada", run("too long", "x".repeat(2_000_001)));
    expect(ids()).toEqual(["small"]);
    for (const at of [1, 2, 3]) addRun("ada", run(`long-${at}`, "x".repeat(900_000)));
    expect(ids()).toEqual(["long-3", "long-2", "small"]);
    storage.quota = 1_000_000;
    addRun("ada", run("last"));
    expect(ids()).toEqual(["last", "long-3"]);
  });

  test("stores nothing while it is off, and forgets runs", () => {
    for (const id of ["a", "b", "c"]) addRun("ada", run(id));
    removeRun("ada", "b");
    expect(ids()).toEqual(["c", "a"]);
    clearHistory("ada", false);
    addRun("ada", run("d"));
    expect(readHistory("ada")).toEqual({ isOn: false, runs: [] });
    expect([...storage.kept.values()].join()).not.toContain("key_1");
  });

  test("is empty if the stored text is invalid, or storage is blocked", () => {
    storage.kept.set("tollgate-playground-history-1:ada", "{");
    expect(readHistory("ada")).toEqual({ isOn: true, runs: [] });
    delete here.localStorage;
    addRun("ada", run("a"));
    expect(ids()).toEqual([]);
  });

  test("reopens a run with its responses, without images", () => {
    const response = new ChatResponse("m", 1000, () => undefined);
    response.open("req_1");
    response.take(JSON.stringify({ choices: [{ delta: { content: "Hi", reasoning_content: "Hm" }, finish_reason: "stop" }] }), 1100);
    response.end("done", 1200);
    const draft = { ...EMPTY_DRAFT, turns: [turn({ role: "user", text: "See", images: [{ name: "p", url: "data:x", bytes: 1 }] })] };
    const before: Run = { id: "r", keyId: "k", draft, lanes: [{ response, body: {}, cancel: () => undefined }], isOver: true };
    addRun("ada", toStored(before));
    const [stored] = readHistory("ada").runs;
    expect(stored!.hadImages).toBe(true);
    const after = reopened(stored!);
    expect(after).toMatchObject({ id: "r", keyId: "k", isOver: true, draft: { turns: [{ role: "user", text: "See", images: [] }] } });
    const [lane] = after.lanes;
    expect(lane!.response.text.text).toBe("Hi");
    expect(lane!.response.reasoning.text).toBe("Hm");
    expect(lane!.response.progress()).toEqual(response.progress());
    expect(lane!.response.isOver).toBe(true);
    expect(after.draft.turns[0]!.id).not.toBe(draft.turns[0]!.id);
  });
});
