import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHUNK = Buffer.alloc(64 * 1024, 1);

/** A disk of a few megabytes, in memory, that can be filled to the last byte. */
export class SmallDisk {
  readonly path: string;
  readonly #ballast: string;

  /** Undefined if this user may not mount a disk. */
  static mount(megabytes: number): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
    const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tollgate-test", path]);
    if (exitCode === 0) return new SmallDisk(path);
    rmSync(path, { recursive: true });
    return undefined;
  }

  private constructor(path: string) {
    this.path = path;
    this.#ballast = join(path, "ballast");
  }

  fill(): void {
    const fd = openSync(this.#ballast, "a");
    try {
      for (let bytes = CHUNK.length; bytes >= 1;) {
        try {
          if (writeSync(fd, CHUNK, 0, bytes) < bytes) bytes = Math.floor(bytes / 2);
        } catch {
          bytes = Math.floor(bytes / 2);
        }
      }
    } finally {
      closeSync(fd);
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    Bun.spawnSync(["umount", "-l", this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}
