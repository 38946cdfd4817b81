import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Command } from "../../src/cli/command.ts";
import { asPasted, describeCommand } from "../../src/cli/help.ts";
import { parseArguments } from "../../src/cli/parse-arguments.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { splitArguments } from "./split-arguments.ts";

const commands = Object.entries(COMMANDS);

describe("every command", () => {
  for (const [name, command] of commands) {
    test(`${name} has help with valid examples`, () => {
      const help = describeCommand(name, command);
      expect(help).toStartWith(`Usage: tollgate ${name}`);
      expect(command.summary).toMatch(/^[A-Z].*\.$/);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) {
        expect(help).toContain(`  ${asPasted(example)}\n`);
        const words = splitArguments(asPasted(example));
        expect(words.slice(0, name.split(" ").length).join(" ")).toBe(name);
        expect(() => parseArguments(name, words.slice(name.split(" ").length), command)).not.toThrow();
      }
      for (const option of Object.keys(command.options)) expect(help).toContain(`  --${option}`);
    });
  }

  test("has an unambiguous name: none with operands is a prefix of another command, except for files, which may be called ./verify", () => {
    const clashes = commands.filter(
      ([name, { operands }]) => operands.length > 0 && commands.some(([other]) => other.startsWith(`${name} `)),
    );
    expect(clashes.map(([name]) => name)).toEqual(["backup"]);
  });
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, Schema>;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}

const { paths, components } = JSON.parse(readFileSync(join(ROOT, "openapi/platform.json"), "utf8")) as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
};

/**
 * Endpoints without a command: those for sign-in pages, feed readers (`changelog` has the same entries), Prometheus, the console's forms
 * and model clients, and the steps of `import keys`, whose command is the import itself.
 */
const NOT_FOR_COMMANDS = new Set([
  "listSignInMethods",
  "signIn",
  "showInvitation",
  "acceptInvitation",
  "showFeed",
  "showMetrics",
  "showAbout",
  "callAsKey",
  "findImportedKeys",
  "importSpend",
]);

/** The platform API rejects these fields, with a message: they are for tollgate.yaml. */
const ONLY_IN_FILE = new Set(["aws.profile", "google.credentials_file"]);

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, ...operation })),
);

const reachable = operations.filter(({ operationId, security }) => !NOT_FOR_COMMANDS.has(operationId) && !isForSessions(security));

function isForSessions(security: Operation["security"]): boolean {
  return security !== undefined && security.length > 0 && security.every((each) => Object.keys(each).join() === "session");
}

test("every command with a range of time has --since and --until for it, and reads them in the same way", () => {
  const ranges = commands.filter(
    ([name, { call, options }]) =>
      call && Object.values(options).some(({ field }) => field === "from" || field === "to") && name !== "import keys",
  );
  expect(ranges.length).toBeGreaterThan(5);
  for (const [name, { options }] of ranges) {
    const of = (field: string): string[] => Object.entries(options).flatMap(([option, each]) => (each.field === field ? [option] : []));
    expect([name, of("from"), of("to")]).toEqual([name, ["since"], ["until"]]);
    expect([name, options["since"]!.value]).toEqual([name, name === "reconcile" ? "DAY" : "WHEN"]);
    if (name !== "reconcile") expect(options["since"]!.read!("7d", "--since")).toMatch(/^\d{4}-\d\d-\d\dT/);
  }
});

describe("every operation of the platform API that is not only for browsers", () => {
  for (const operation of reachable) {
    test(`${operation.operationId} has a command, with an option for each of its fields`, () => {
      const callers = commands.filter(([, command]) => command.call === operation.call).map(([, command]) => command);
      expect(callers.length).toBeGreaterThan(0);
      const settable = new Set(callers.flatMap(fieldsOf));
      expect(fieldsTakenBy(operation).filter((field) => !settable.has(field) && !ONLY_IN_FILE.has(field))).toEqual([]);
    });
  }

  test("and no command calls another endpoint, or sets an unknown field", () => {
    for (const [name, command] of commands) {
      if (command.call === undefined) continue;
      const operation = reachable.find(({ call }) => call === command.call);
      expect([name, operation?.call]).toEqual([name, command.call]);
      const taken = new Set(fieldsTakenBy(operation!));
      expect([name, fieldsOf(command).filter((field) => !taken.has(field))]).toEqual([name, []]);
    }
  });
});

function fieldsOf({ operands, options, sets = {}, fillsIn = [], stdin }: Command): string[] {
  const declared = [...operands, ...Object.values(options)].flatMap(({ field }) => field ?? []);
  return [...declared, ...fillsIn, ...Object.keys(sets), ...(stdin ? [stdin.field, stdin.fieldOfSeveral ?? []].flat() : [])];
}

/** The paths of the body's fields without subfields, and the query parameters. */
function fieldsTakenBy({ parameters = [], requestBody }: Operation): string[] {
  const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  return [...query, ...(requestBody ? leavesOf(requestBody.content["application/json"].schema) : [])];
}

function leavesOf(schema: Schema, prefix = ""): string[] {
  const resolved = schema.$ref === undefined ? schema : components.schemas[schema.$ref.split("/").at(-1)!]!;
  if (!resolved.properties) return prefix === "" ? [] : [prefix];
  return Object.entries(resolved.properties).flatMap(([name, each]) => leavesOf(each, prefix === "" ? name : `${prefix}.${name}`));
}
