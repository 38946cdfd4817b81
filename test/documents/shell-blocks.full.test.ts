import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findProgram } from "../clients/system-program.ts";
import { openssl } from "../support/tls/certificates.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { PostgresServer } from "../support/postgres/start-postgres.ts";
import { filesOf, prepareExamples, type Examples } from "./examples.ts";
import { BLOCKS, placeOf, type Block } from "./fenced-blocks.ts";
import { runPage } from "./page-shell.ts";

/** The machine has two cores, and a starting gateway is idle half of the time. */
const MAX_CONCURRENT = 3;
const SHELLS = new Set(["sh", "bash"]);

const hasCurl = findProgram(["curl"], "curl") !== undefined;
/** Blocks that are skipped because a program is missing. */
const LEFT_OUT = [
  [/\bjq\b/, findProgram(["jq"], "jq")] as const,
  [/\bsqlite3\b/, findProgram(["sqlite3"], "sqlite3")] as const,
  [/\bopenssl\b|TOLLGATE_TLS_/, openssl] as const,
].flatMap(([use, program]) => (program === undefined ? [use] : []));

/** Blocks that are run one after another: all blocks of a page, or a block that is run alone. */
interface Session {
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly usesDatabase: boolean;
}

const run = BLOCKS.filter(
  ({ language, note, text }) => SHELLS.has(language) && note?.kind !== "not run" && !LEFT_OUT.some((use) => use.test(text)),
);
const SESSIONS: readonly Session[] = [...Map.groupBy(run, (block) => (block.note?.kind === "run alone" ? placeOf(block) : block.file))]
  .map(([name, blocks]) => ({ name, blocks, usesDatabase: blocks.some(({ text }) => text.includes("postgres://tollgate:password@")) }))
  .filter(({ usesDatabase }) => hasPostgres || !usesDatabase);

describe.skipIf(!hasCurl)("the shell commands run as they are written in", () => {
  let examples: Examples;
  let postgres: PostgresServer | undefined;
  const outcomes = new Map(SESSIONS.map((session) => [session, Promise.withResolvers<string>()]));

  beforeAll(async () => {
    examples = await prepareExamples();
    if (hasPostgres) postgres = await PostgresServer.start();
    const waiting = [...SESSIONS];
    const work = async (): Promise<void> => {
      for (let session; (session = waiting.shift());) outcomes.get(session)!.resolve(await outcomeOf(session));
    };
    for (let worker = 0; worker < MAX_CONCURRENT; worker++) void work();
  });
  afterAll(async () => {
    await Promise.all([...outcomes.values()].map(({ promise }) => promise));
    await examples?.stop();
    await postgres?.stop();
  });

  async function outcomeOf({ blocks, usesDatabase }: Session): Promise<string> {
    const database = usesDatabase ? { port: postgres!.port, url: (await postgres!.createDatabase()).reveal() } : undefined;
    const page = BLOCKS.filter(({ file }) => file === blocks[0]!.file);
    return runPage({ blocks, files: filesOf(page, examples), database }, examples).catch(String);
  }

  for (const session of SESSIONS) {
    test(session.name, async () => expect(await outcomes.get(session)!.promise).toBe(""));
  }
});
