import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { BackupRefused } from "./backup-refused.ts";

/**
 * The file format of a backup, version 1. First the database, which SQLite programs can read in place. Then the other files, one after
 * another. Then the manifest, as JSON. Then the seal: a line with the length of the manifest and the SHA-256 of everything before the
 * digest. The seal is written last, so a file with a seal is complete.
 */
const SEAL = /^\ntollgate-backup (\d{3}) manifest (\d{9}) sha256 ([0-9a-f]{64})\n$/;
const VERSION = "001";
const DIGEST_CHARS = 64;
const SEAL_BYTES = sealHead(0).length + DIGEST_CHARS + 1;
const CHUNK_BYTES = 1024 * 1024;

/** A file of the data folder in a backup. */
export interface BackedUpFile {
  /** Its path in the data folder. */
  readonly name: string;
  readonly bytes: number;
}

/** The manifest: a backup's description of itself. */
export interface Manifest {
  /** ISO 8601. */
  readonly createdAt: string;
  /** The version of Tollgate that made the backup. */
  readonly version: string;
  /** The data folder, or the address of the database. */
  readonly source: string;
  /** In the order of their content. The first file is the database. */
  readonly files: readonly BackedUpFile[];
}

/** Adds the manifest and the seal to a file with all content, and makes it durable. */
export function sealBackup(path: string, manifest: Manifest): void {
  const fd = openSync(path, "a+");
  try {
    // The manifest and the seal are on lines of their own, so that `tail` shows them and no part of the secret before them.
    const json = Buffer.from(`\n${JSON.stringify(manifest)}`);
    writeWhole(fd, json);
    writeWhole(fd, Buffer.from(sealHead(json.length)));
    writeWhole(fd, Buffer.from(`${digestOf(fd, fstatSync(fd).size)}\n`));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Reads the manifest of a backup. Throws `BackupRefused` if any byte of the file is missing or was changed. */
export function readBackup(path: string): Manifest {
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    const [, version, manifestBytes, digest] = SEAL.exec(textAt(fd, size - SEAL_BYTES, SEAL_BYTES)) ?? [];
    if (version === undefined) throw new BackupRefused(`${path} is not a backup, or it is incomplete: it does not end with a checksum`);
    if (version > VERSION) throw new BackupRefused(`${path} was made by a newer Tollgate: use that version, or a newer one`);
    if (digestOf(fd, size - DIGEST_CHARS - 1) !== digest) throw new BackupRefused(`${path} is damaged: it does not match its checksum`);
    return JSON.parse(textAt(fd, size - SEAL_BYTES - Number(manifestBytes), Number(manifestBytes))) as Manifest;
  } finally {
    closeSync(fd);
  }
}

/** Copies a part of a file to the end of another file, whose descriptor is given. */
export function copyRange(from: string, start: number, bytes: number, to: number): void {
  const fd = openSync(from, "r");
  try {
    for (const part of partsOf(fd, start, bytes)) writeWhole(to, part);
  } finally {
    closeSync(fd);
  }
}

/** On a full disk a write may be short without an error; the next write fails. */
function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at);
}

function sealHead(manifestBytes: number): string {
  return `\ntollgate-backup ${VERSION} manifest ${String(manifestBytes).padStart(9, "0")} sha256 `;
}

function textAt(fd: number, start: number, bytes: number): string {
  if (start < 0) return "";
  return Buffer.concat([...partsOf(fd, start, bytes)].map((part) => Buffer.from(part))).toString();
}

/** The SHA-256 of the first bytes of a file. */
function digestOf(fd: number, bytes: number): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const part of partsOf(fd, 0, bytes)) hasher.update(part);
  return hasher.digest("hex");
}

/** Reads a range of a file in parts. Each part is valid until the next one is read. */
function* partsOf(fd: number, start: number, bytes: number): Generator<Uint8Array> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < bytes;) {
    const length = readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, bytes - at), start + at);
    if (length === 0) throw new BackupRefused("the file has become shorter while it was read");
    yield chunk.subarray(0, length);
    at += length;
  }
}
