import { beforeEach, expect, test } from "bun:test";
import type { Change } from "../access/change.ts";
import { joinDifferences, type Difference } from "../access/reload-report.ts";
import { Secret } from "../lib/secret/secret.ts";
import { StorageUnavailable } from "../requests/storage-unavailable.ts";
import type { DeclaredFile } from "../stores/declared-file/declared-file-store.ts";
import { ConfigError } from "./config-error.ts";
import { parseConfigFile, type ConfigDeclarations } from "./config-file.ts";
import { digestOfCopy, readCopy, writeCopy } from "./file-copy.ts";
import { SharedDeclarations } from "./shared-declarations.ts";

const HASH_SECRET = new Secret("a-secret-to-hash-with");
const MINUTE = 60_000;
const record = (): Change => ({}) as Change;

function fileOf(model: string, path = "tollgate.yaml"): ConfigDeclarations {
  const text = `upstreams: [{ id: echo, dialect: echo }]\nmodels: [{ id: ${model}, routes: [{ upstream: echo, model: x }], free: true }]\n`;
  return parseConfigFile(text, path, {}, 1);
}

const FULL = `
upstreams:
  - id: one
    dialect: openai
    base_url: https://a.example/v1
    credential: from-a-variable
models:
  - id: m
    owned_by: us
    state: deprecated
    shutdown_date: 2099-01-01
    replacement: n
    routes: [{ upstream: one, model: x, weight: 2 }]
    price: { input_per_million: 1, output_per_million: 2 }
  - { id: n, routes: [{ upstream: one, model: y }], free: true }
accounts:
  - { id: a, name: A, models: [m], caps: { day: 5 }, limits: { requests_per_minute: 60 } }
`;

type Tree = { [field: string]: Tree | string };

/** The paths of all values that are not objects or lists. */
function leavesIn(tree: Tree): string[][] {
  return Object.entries(tree).flatMap(([name, value]) =>
    typeof value === "object" ? leavesIn(value).map((path) => [name, ...path]) : [[name]],
  );
}

function withLeaf(tree: Tree, path: readonly string[], value: unknown): Tree {
  const parent = path.slice(0, -1).reduce((at, name) => at[name] as Tree, tree);
  Object.assign(parent, { [path.at(-1)!]: value });
  return tree;
}

let current: DeclaredFile | undefined;
let isHeld: boolean | Error;
let inForce: string[];
let events: unknown[];
let nowMs: number;
let listener: (file: DeclaredFile) => Promise<void>;
/** Runs before a declaration is written. */
let meanwhile: () => void;

beforeEach(() => {
  current = undefined;
  isHeld = false;
  inForce = [];
  events = [];
  nowMs = 0;
  meanwhile = () => undefined;
});

/** The file in the form in which another process has written it. */
function declared({ copy }: ConfigDeclarations): DeclaredFile {
  return { digest: digestOfCopy(copy!, HASH_SECRET), content: writeCopy(copy!), declaredBy: "another" };
}

function digestNow(): string | undefined {
  return current?.digest;
}

async function putInForce(file: ConfigDeclarations): Promise<Difference> {
  inForce = [...file.catalog.keys()];
  return joinDifferences([]);
}

async function declare(file: ConfigDeclarations): Promise<Difference> {
  current = declared(file);
  return putInForce(file);
}

function started(own: ConfigDeclarations | undefined): Promise<SharedDeclarations> {
  const shared = new SharedDeclarations({
    declarations: {
      adopt: async (file) => void (await putInForce(file)),
      declareFile: declare,
      async declareFileIf(isWanted, file) {
        meanwhile();
        return isWanted() ? declare(file) : undefined;
      },
      targets: () => [],
      previewFile: async () => joinDifferences([]),
    },
    store: {
      current: () => current,
      async follow(given) {
        listener = (file) => given(file, { write: async () => undefined });
        if (current) await listener(current);
      },
      prepare: () => ({ statements: [], apply: () => undefined }),
    },
    instances: {
      async hasConfigFile() {
        if (isHeld instanceof Error) throw isHeld;
        return isHeld;
      },
    },
    hashSecret: HASH_SECRET,
    log: { write: ({ event }) => void events.push(event) },
    monotonicMs: () => nowMs,
  });
  return shared.start(own, record).then(() => {
    shared.close();
    return shared;
  });
}

test("a copy has the digest of its declarations, and is read as the same file", async () => {
  const file = fileOf("m");
  const copied = await readCopy(writeCopy(file.copy!));
  expect(copied.catalog).toEqual(file.catalog);
  expect(copied.upstreams).toEqual(file.upstreams);
  expect(copied.copy).toEqual(file.copy);
  expect(digestOfCopy(fileOf("m", "elsewhere.yaml").copy!, HASH_SECRET)).toBe(digestOfCopy(file.copy!, HASH_SECRET));
  expect(digestOfCopy(fileOf("n").copy!, HASH_SECRET)).not.toBe(digestOfCopy(file.copy!, HASH_SECRET));
});

test("a copy has the values of variables, which are not filled in again", async () => {
  const text = 'upstreams: [{ id: one, dialect: openai, base_url: "https://a.example/v1", credential: "${SOME}" }]\n';
  const file = parseConfigFile(text, "tollgate.yaml", { SOME: "odd-${OTHER}-credential" }, 1);
  expect((await readCopy(writeCopy(file.copy!))).upstreams).toEqual(file.upstreams);
});

test("errors about a copy show none of its values, in which variables are filled in", async () => {
  const canary = "canary-credential";
  const { copy } = parseConfigFile(FULL, "tollgate.yaml", {}, 1);
  const messages: string[] = [];
  for (const path of leavesIn(JSON.parse(copy!.declarations.reveal()) as Tree)) {
    for (const value of [canary, `https://${canary}@host/`, [canary], { [path.at(-1)!]: canary }, canary.repeat(100)]) {
      const declarations = new Secret(JSON.stringify(withLeaf(JSON.parse(copy!.declarations.reveal()) as Tree, path, value)));
      const [read] = await Promise.allSettled([readCopy(writeCopy({ ...copy!, declarations }))]);
      if (read.status === "rejected") messages.push(String(read.reason));
    }
  }
  expect(messages).toContain("ConfigError: tollgate.yaml: upstreams[0].base_url is not valid in this version of Tollgate");
  expect(messages.length).toBeGreaterThan(50);
  expect(messages.filter((message) => message.includes(canary))).toEqual([]);
});

test("the first file is declared, and one that another process has meanwhile declared is kept", async () => {
  await started(fileOf("m"));
  expect([inForce, events]).toEqual([["m"], []]);
  current = undefined;
  meanwhile = () => {
    current = declared(fileOf("n"));
    isHeld = true;
  };
  await started(fileOf("m"));
  expect([digestNow(), events]).toEqual([declared(fileOf("n")).digest, ["config_differs"]]);
});

test("a declared file that no live process has is replaced by a start, and by a running process after a minute", async () => {
  current = declared(fileOf("n"));
  isHeld = true;
  const shared = await started(fileOf("m"));
  expect([inForce, events]).toEqual([["n"], ["config_differs"]]);
  isHeld = false;
  await shared.check(record);
  nowMs = MINUTE - 1;
  await shared.check(record);
  // A live process that has the file is back.
  isHeld = true;
  await shared.check(record);
  isHeld = false;
  nowMs = MINUTE;
  await shared.check(record);
  isHeld = new StorageUnavailable("unreachable", { cause: undefined });
  await shared.check(record);
  expect(inForce).toEqual(["n"]);
  isHeld = false;
  nowMs = 2 * MINUTE;
  await shared.check(record);
  expect([inForce, events]).toEqual([["m"], ["config_differs", "config_declared"]]);
  await started(fileOf("o"));
  expect(inForce).toEqual(["o"]);
});

test("a declared file that this version cannot read is reported, and the one before stays in force", async () => {
  await started(fileOf("m"));
  isHeld = true;
  const content = new Secret(JSON.stringify({ path: "newer.yaml", created_seconds: 1, declarations: '{"unheard_of": 1}' }));
  current = { digest: "newer", content, declaredBy: "another" };
  await listener(current);
  expect([inForce, events]).toEqual([["m"], ["config_rejected"]]);
  await started(fileOf("n"));
  expect(inForce).toEqual(["n"]);
  await listener({ ...current, content: undefined });
  expect(events.at(-1)).toBe("config_rejected");
});

test("a file that was read before is known", async () => {
  const shared = await started(fileOf("m"));
  expect([shared.hasRead(fileOf("m")), shared.hasRead(fileOf("n"))]).toEqual([true, false]);
  await shared.declareFile(fileOf("n"), record);
  expect([shared.hasRead(fileOf("m")), shared.hasRead(fileOf("n"))]).toEqual([false, true]);
  expect((await started(undefined)).hasRead(fileOf("m"))).toBe(false);
});

test("a failure that is not about the file is thrown, so that it is tried again", async () => {
  await started(fileOf("m"));
  const [failed] = await Promise.allSettled([listener({ digest: "broken", content: new Secret("no JSON"), declaredBy: "another" })]);
  expect(failed.status).toBe("rejected");
  expect((failed as PromiseRejectedResult).reason).not.toBeInstanceOf(ConfigError);
});
