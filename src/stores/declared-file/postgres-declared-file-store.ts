import type { Secret } from "../../lib/secret/secret.ts";
import type { Database, PreparedWrite, RecordCache, RecordReader } from "../database.ts";
import type { Vault } from "../vault.ts";
import type { DeclaredFile, DeclaredFileListener, DeclaredFileStore } from "./declared-file-store.ts";

interface DeclaredFileOptions {
  readonly database: Database;
  readonly vault: Vault;
  /** The id of this process. */
  readonly instanceId: string;
}

/** The purpose that the ciphertext is bound to. */
const PURPOSE = "config file";

/** The declared config file in PostgreSQL. */
export class PostgresDeclaredFileStore implements DeclaredFileStore, RecordCache {
  readonly #options: DeclaredFileOptions;
  #listener: DeclaredFileListener | undefined;
  #current: DeclaredFile | undefined;

  constructor(options: DeclaredFileOptions) {
    this.#options = options;
  }

  current(): DeclaredFile | undefined {
    return this.#current;
  }

  async follow(listener: DeclaredFileListener): Promise<void> {
    this.#listener = listener;
    await this.#options.database.cache("config_file", this);
    await this.#reseal();
  }

  async reload(_ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const { vault } = this.#options;
    const row = await reader.selectFrom("declared_file").select(["digest", "content", "declared_by"]).executeTakeFirst();
    const file = row && { digest: row.digest, content: vault.open(row.content, PURPOSE), declaredBy: row.declared_by };
    if (file && file.digest !== this.#current?.digest) await this.#listener?.(file, reader);
    this.#current = file;
  }

  prepare(digest: string, content: Secret): PreparedWrite {
    const { database, vault, instanceId } = this.#options;
    const row = { digest, content: vault.seal(content, PURPOSE), declared_by: instanceId };
    return {
      statements: [
        database
          .insertInto("declared_file")
          .values({ single: 1, ...row })
          .onConflict((conflict) => conflict.column("single").doUpdateSet(row)),
      ],
      alsoChanged: [{ kind: "config_file", ids: ["file"] }],
      apply: () => {
        this.#current = { digest, content, declaredBy: instanceId };
      },
    };
  }

  /** Encrypts the content again if it was encrypted with the old secret, unless another process has declared another file meanwhile. */
  async #reseal(): Promise<void> {
    const { database, vault } = this.#options;
    const row = await database.selectFrom("declared_file").select("content").executeTakeFirst();
    const opened = row && vault.isOutdated(row.content) ? vault.open(row.content, PURPOSE) : undefined;
    if (!row || !opened) return;
    const resealed = { content: vault.seal(opened, PURPOSE) };
    await database.write(database.updateTable("declared_file").set(resealed).where("content", "=", row.content));
  }
}
