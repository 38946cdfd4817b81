import { afterEach, beforeEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { LoggingGateway, type CapturedReply } from "./logging-gateway.ts";
import { inFile, readLog } from "./read-log.ts";

let logging: LoggingGateway;
/** Ends the simulated failure of a test, even if the test itself fails. */
let end: () => void = () => undefined;

beforeEach(async () => {
  logging = await LoggingGateway.start();
});
afterEach(async () => {
  end();
  end = () => undefined;
  await logging.gateway.stop();
});

const folder = (): string => join(logging.gateway.folder, "data", "requests");
const today = (): string =>
  join(
    folder(),
    readdirSync(folder()).find((name) => name.endsWith(".db") && !name.includes("damaged"))!,
  );

/** Sends requests, half of them for streams, and checks each response. */
async function askMany(count: number): Promise<CapturedReply[]> {
  const received = await Promise.all(Array.from({ length: count }, (_, at) => logging.ask(`words ${at}.`, { stream: at % 2 === 0 })));
  for (const [at, { status, text }] of received.entries()) {
    expect(status).toBe(200);
    expect(text.includes("[DONE]")).toBe(at % 2 === 0);
    expect(text).toContain(`${at}.`);
  }
  return received;
}

async function allWritten(count: number): Promise<void> {
  await eventually(
    () => logging.counts(),
    ({ written, queued, isInTrouble }) => written === count && queued === 0 && !isInTrouble,
  );
}

/** Printed lines arrive a moment later. */
async function eventsAre(...events: readonly string[]): Promise<void> {
  await eventually(
    () => logging.events(),
    (seen) => seen.join() === events.join(),
  );
}

function idsInFiles(): string[] {
  return readLog(join(logging.gateway.folder, "data"))
    .map(({ id }) => id)
    .toSorted();
}

const idsOf = (received: readonly CapturedReply[]): string[] => received.map(({ requestId }) => inFile(requestId)).toSorted();

/** Failures of the folder of a running gateway, and how each is ended. Earlier log data may be lost with it. */
const TROUBLES: { name: string; keepsEarlier: boolean; begin: () => () => void }[] = [
  {
    name: "a file has the path of its folder",
    keepsEarlier: false,
    begin() {
      rmSync(folder(), { recursive: true });
      writeFileSync(folder(), "");
      return () => rmSync(folder(), { force: true, recursive: true });
    },
  },
  {
    name: "another process has its file locked",
    keepsEarlier: true,
    begin() {
      const file = new Database(today());
      file.run("begin exclusive");
      return () => file.close();
    },
  },
];

for (const { name, keepsEarlier, begin } of TROUBLES) {
  test(`while ${name}, serves requests as usual, and the log catches up by itself`, async () => {
    const before = await askMany(6);
    await allWritten(6);
    end = begin();
    const during = await askMany(20);
    await eventually(
      () => logging.counts(),
      ({ isInTrouble }) => isInTrouble,
    );
    during.push(...(await askMany(20)));
    const counts = await eventually(
      () => logging.counts(),
      ({ queued }) => queued === 40,
    );
    expect(counts).toEqual({ queued: 40, written: 6, dropped: {}, isInTrouble: true });
    end();
    end = () => undefined;
    await allWritten(46);
    const after = await askMany(4);
    await allWritten(50);
    expect(idsInFiles()).toEqual(idsOf([...(keepsEarlier ? before : []), ...during, ...after]));
    await eventsAre("request_log_unavailable", "request_log_recovered");
  });
}

const hasMount = Bun.spawnSync(["unshare", "-m", "true"]).exitCode === 0 && process.getuid?.() === 0;

test.skipIf(!hasMount)("on a full disk, serves requests as usual, and the log catches up when there is space", async () => {
  await logging.gateway.end();
  mkdirSync(folder(), { recursive: true });
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder()]);
  if (exitCode !== 0) return;
  end = () => void Bun.spawnSync(["umount", "-l", folder()]);
  logging = await LoggingGateway.start({ folder: logging.gateway.folder });
  writeFileSync(join(folder(), "ballast"), Buffer.alloc(512 * 1024 - 60 * 1024));
  // The first key was shown only once, at the previous start.
  const { key } = await logging.gateway.makeKey();
  const ask = (count: number): Promise<CapturedReply[]> => Promise.all(Array.from({ length: count }, () => logging.ask("hi", { key })));
  const received: CapturedReply[] = [];
  while (!(await logging.counts()).isInTrouble && received.length < 3000) received.push(...(await ask(50)));
  expect(new Set(received.map(({ status }) => status))).toEqual(new Set([200]));
  await eventually(
    () => logging.counts(),
    ({ isInTrouble }) => isInTrouble,
  );
  received.push(...(await ask(20)));
  rmSync(join(folder(), "ballast"));
  await allWritten(received.length);
  expect(idsInFiles()).toEqual(idsOf(received));
  await eventsAre("request_log_unavailable", "request_log_recovered");
});

test("quarantines a damaged file while requests are served, and loses none of them", async () => {
  await askMany(6);
  await allWritten(6);
  await logging.gateway.end();
  writeFileSync(today(), "garbage ".repeat(2000));
  logging = await LoggingGateway.start({ folder: logging.gateway.folder });
  const { key } = await logging.gateway.makeKey();
  const received = await Promise.all(Array.from({ length: 10 }, () => logging.ask("hi", { key })));
  await allWritten(10);
  expect(idsInFiles()).toEqual(idsOf(received));
  await eventsAre("request_log_damaged");
});

test("creates a removed folder again, silently", async () => {
  await askMany(6);
  await allWritten(6);
  rmSync(folder(), { recursive: true });
  const received = await askMany(6);
  await allWritten(12);
  expect(idsInFiles()).toEqual(idsOf(received));
  await eventsAre();
});

test("logs sixty requests without a key per minute, and counts the others", async () => {
  // Avoids the turn of a minute.
  await eventually(
    () => new Date().getSeconds(),
    (seconds) => seconds < 40,
    { everyMs: 200 },
  );
  await Promise.all(Array.from({ length: 100 }, () => logging.ask("hi", { key: "wrong" })));
  await askMany(2);
  await allWritten(62);
  expect(await logging.counts()).toMatchObject({ written: 62, dropped: { without_key: 40 } });
  expect(readLog(join(logging.gateway.folder, "data")).filter(({ code }) => code === "invalid_api_key")).toHaveLength(60);
});
