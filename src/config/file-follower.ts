import type { DeclaredFile, DeclaredFileStore, DeclaredFileWriter } from "../stores/declared-file/declared-file-store.ts";
import { ConfigError } from "./config-error.ts";
import type { Declarations } from "./declarations.ts";
import { readCopy } from "./file-copy.ts";

interface FollowedFileOptions {
  readonly declarations: Pick<Declarations, "adopt">;
  readonly store: Pick<DeclaredFileStore, "follow">;
  /** Applies this machine's file. Resolves to false if it has none. */
  readonly serveOwn: (writer: DeclaredFileWriter) => Promise<boolean>;
  /** Called when another file is served than before. */
  readonly changed?: (file: DeclaredFile) => void;
  /** Called when the declared file cannot be read. `isOwn`: this machine's file is served; otherwise the previous file stays in force. */
  readonly rejected?: (problem: string, isOwn: boolean) => void;
}

/**
 * Serves the declared config file, whichever process declares it. A file that this version cannot read does not replace the file in force.
 */
export class FileFollower {
  readonly #options: FollowedFileOptions;
  #isServing = false;

  constructor(options: FollowedFileOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#options.store.follow((file, writer) => this.#serve(file, writer));
  }

  /** Notes that this process has declared a file itself, which is in force. */
  declared(): void {
    this.#isServing = true;
  }

  async #serve(file: DeclaredFile, writer: DeclaredFileWriter): Promise<void> {
    const { declarations, changed } = this.#options;
    const wasServing = this.#isServing;
    try {
      await declarations.adopt(await readCopy(file.content), writer);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return this.#serveInstead(error, writer);
    }
    this.#isServing = true;
    if (wasServing) changed?.(file);
  }

  async #serveInstead({ message: problem }: ConfigError, writer: DeclaredFileWriter): Promise<void> {
    const { serveOwn, rejected } = this.#options;
    const isOwn = !this.#isServing && (await serveOwn(writer));
    rejected?.(problem, isOwn);
  }
}
