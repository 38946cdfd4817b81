import { closeSync, openSync, statSync, writeFileSync } from "node:fs";
import type { Secret } from "../../lib/secret/secret.ts";
import { copyRange, sealBackup, type BackedUpFile, type Manifest } from "./backup-format.ts";
import { DATABASE } from "./backup-names.ts";

/** Turns a copied database into a backup file: adds the other files, and seals it. */
export class BackupWriter {
  readonly #path: string;
  readonly #files: BackedUpFile[];

  /** `path`: the database. No connection may have it open. */
  constructor(path: string) {
    this.#path = path;
    this.#files = [{ name: DATABASE, bytes: statSync(path).size }];
  }

  addFile(name: string, from: string): void {
    const { size: bytes } = statSync(from);
    const fd = openSync(this.#path, "a");
    try {
      copyRange(from, 0, bytes, fd);
    } finally {
      closeSync(fd);
    }
    this.#files.push({ name, bytes });
  }

  /** Adds a secret as `writeSecret` would write it to the data folder. */
  addSecret(name: string, secret: Secret): void {
    const content = Buffer.from(`${secret.reveal()}\n`);
    writeFileSync(this.#path, content, { flag: "a" });
    this.#files.push({ name, bytes: content.length });
  }

  seal(about: Omit<Manifest, "files">): void {
    sealBackup(this.#path, { ...about, files: this.#files });
  }
}
