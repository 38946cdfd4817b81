import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { MAX_EXPORTS, MAX_EXPORTS_BYTES, type RequestExport } from "../../access/request-export.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import type { AppendResult, ExportChunk, ExportStore } from "./export-store.ts";

/** Exports must not fill the disk that the ledger is on. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const EXPIRE_EVERY_MS = 60_000;
const READ_BYTES = 64 * 1024;
const STATE = ".json";

/** The file of a running export. It is closed after its last write, because another file may get its descriptor. */
interface OpenFile {
  readonly handle: FileHandle;
  written: Promise<unknown>;
}

/** Exports in a folder, each with two files: its content and its state. Only memory has the progress of a running export. */
export class FolderExportStore implements ExportStore {
  readonly #folder: string;
  readonly #nowMs: () => number;
  readonly #exports = new Map<string, RequestExport>();
  readonly #files = new Map<string, OpenFile>();
  readonly #timer: Timer;

  constructor(folder: string, nowMs: () => number) {
    this.#folder = folder;
    this.#nowMs = nowMs;
    this.#load();
    this.#timer = setInterval(() => this.#expire(), EXPIRE_EVERY_MS).unref();
  }

  async find(id: string): Promise<RequestExport | undefined> {
    this.#expire();
    return this.#exports.get(id);
  }

  async listOf(ownerId: string): Promise<readonly RequestExport[]> {
    return this.#listOf(ownerId);
  }

  #listOf(ownerId: string): readonly RequestExport[] {
    this.#expire();
    return [...this.#exports.values()].filter((each) => each.ownerId === ownerId).toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  }

  async add(added: RequestExport): Promise<boolean> {
    if (this.#listOf(added.ownerId).length >= MAX_EXPORTS) return false;
    // Added before the first await: the second of two concurrent calls counts the first.
    this.#exports.set(added.id, added);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#files.set(added.id, { handle: await open(this.#fileOf(added), "wx", 0o600), written: Promise.resolve() });
      this.#save(added);
      return true;
    } catch (error) {
      await this.remove(added.id).catch(() => undefined);
      throw toUnavailable(error);
    }
  }

  async append(id: string, { text, rows, total }: ExportChunk): Promise<AppendResult> {
    const file = this.#files.get(id);
    if (!file || !this.#isRunning(id)) return "stopped";
    const bytes = Buffer.byteLength(text);
    if (!this.#hasRoomFor(bytes)) return "full";
    try {
      await (file.written = file.handle.appendFile(text));
    } catch (error) {
      throw toUnavailable(error);
    }
    // The export may have been cancelled meanwhile.
    if (!this.#isRunning(id)) return "stopped";
    const current = this.#exports.get(id)!;
    this.#exports.set(id, { ...current, rows: current.rows + rows, bytes: current.bytes + bytes, total });
    return "appended";
  }

  async end(id: string, state: "done" | "failed" | "cancelled", error: string | null = null): Promise<void> {
    await this.#end(id, state, error);
  }

  async remove(id: string): Promise<void> {
    const removed = this.#exports.get(id);
    if (!removed) return;
    this.#exports.delete(id);
    try {
      for (const path of [this.#stateOf(removed), this.#fileOf(removed)]) rmSync(path, { force: true });
    } catch (error) {
      throw toUnavailable(error);
    } finally {
      await this.#closeFile(id);
    }
  }

  async removeWithAccount(accountId: string): Promise<void> {
    const removed = [...this.#exports.values()].filter((each) => each.accountId === null || each.accountId === accountId);
    for (const { id } of removed) await this.remove(id);
  }

  async *read(found: RequestExport): AsyncGenerator<string, void> {
    const file = await open(this.#fileOf(found), "r");
    try {
      const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
      let unread = found.bytes;
      while (unread > 0) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(READ_BYTES, unread)));
        if (bytesRead === 0) throw new Error(`the file of the export ${found.id} has ${unread} bytes less than were written`);
        unread -= bytesRead;
        yield utf8.decode(buffer.subarray(0, bytesRead), { stream: true });
      }
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const running = [...this.#exports.values()].filter(({ state }) => state === "running");
    for (const { id } of running) await this.#end(id, "interrupted", null);
  }

  async #end(id: string, state: Exclude<RequestExport["state"], "running">, error: string | null): Promise<void> {
    const current = this.#exports.get(id);
    if (current?.state !== "running") return;
    const isDone = state === "done";
    const ended = { ...current, state, error, endedAtMs: this.#nowMs(), ...(isDone ? { total: current.rows } : { bytes: 0 }) };
    this.#exports.set(id, ended);
    try {
      if (!isDone) rmSync(this.#fileOf(ended), { force: true });
      this.#save(ended);
    } catch (failure) {
      throw toUnavailable(failure);
    } finally {
      await this.#closeFile(id);
    }
  }

  #isRunning(id: string): boolean {
    return this.#exports.get(id)?.state === "running";
  }

  async #closeFile(id: string): Promise<void> {
    const file = this.#files.get(id);
    this.#files.delete(id);
    await file?.written.catch(() => undefined);
    await file?.handle.close();
  }

  /** Loads the exports of an earlier process. Files that belong to no export are deleted. */
  #load(): void {
    const names = namesIn(this.#folder);
    for (const name of names.filter((each) => each.endsWith(STATE))) {
      const found = readState(join(this.#folder, name));
      if (found && `${found.id}${STATE}` === name) this.#exports.set(found.id, found);
    }
    this.#expire();
    for (const left of this.#exports.values()) {
      if (left.state !== "running") continue;
      const interrupted = { ...left, state: "interrupted" as const, endedAtMs: this.#nowMs() };
      this.#exports.set(left.id, interrupted);
      this.#saveIfPossible(interrupted);
    }
    const used = new Set([...this.#exports.values()].flatMap((each) => this.#pathsOf(each)));
    for (const path of names.map((name) => join(this.#folder, name))) if (!used.has(path)) rmSync(path, { force: true });
  }

  #expire(): void {
    const nowMs = this.#nowMs();
    for (const { id, expiresAtMs } of this.#exports.values()) if (expiresAtMs <= nowMs) void this.remove(id).catch(() => undefined);
  }

  #hasRoomFor(bytes: number): boolean {
    const used = [...this.#exports.values()].reduce((sum, each) => sum + each.bytes, 0);
    const { bavail, bsize } = statfsSync(this.#folder);
    return used + bytes <= MAX_EXPORTS_BYTES && bavail * bsize - bytes >= MIN_FREE_BYTES;
  }

  /** Saves if possible: a full disk must not prevent the gateway from starting. The next start interrupts the export again. */
  #saveIfPossible(saved: RequestExport): void {
    try {
      this.#save(saved);
    } catch {}
  }

  /** Writes to a temporary name first: after a crash the file has its complete new state or its old state. */
  #save(saved: RequestExport): void {
    const path = this.#stateOf(saved);
    writeFileSync(`${path}.new`, JSON.stringify(saved), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  #pathsOf(each: RequestExport): string[] {
    return [this.#stateOf(each), ...(each.state === "done" ? [this.#fileOf(each)] : [])];
  }

  #stateOf({ id }: RequestExport): string {
    return join(this.#folder, `${id}${STATE}`);
  }

  #fileOf({ id, format }: RequestExport): string {
    return join(this.#folder, `${id}.${format}`);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** An unreadable state file was damaged from outside. The export is then deleted. */
function readState(path: string): RequestExport | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as RequestExport;
  } catch {
    return undefined;
  }
}

function toUnavailable(cause: unknown): StorageUnavailable {
  return new StorageUnavailable((cause as NodeJS.ErrnoException).code === "ENOSPC" ? "full" : "failing", { cause });
}
