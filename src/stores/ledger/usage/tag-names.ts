import type { Database as SqliteFile } from "bun:sqlite";

/** The most tags of an account that have rollups. Clients choose the names of tags. */
export const MAX_TAG_NAMES = 100;

/** The names of the tags that an account has used, up to a limit: only these have rollups. */
export class TagNames {
  readonly #file: SqliteFile;
  readonly #byAccount = new Map<string, Set<string>>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Whether a tag has rollups. A new one gets them where the account has not too many. */
  admit(accountId: string, tag: string): boolean {
    const tags = this.#tagsOf(accountId);
    if (tags.has(tag)) return true;
    if (tags.size >= MAX_TAG_NAMES) return false;
    this.#file.query("insert or ignore into attribution_tags (account_id, tag) values (?, ?)").run(accountId, tag);
    tags.add(tag);
    return true;
  }

  has(accountId: string, tag: string): boolean {
    return this.#tagsOf(accountId).has(tag);
  }

  #tagsOf(accountId: string): Set<string> {
    let tags = this.#byAccount.get(accountId);
    if (!tags) {
      const rows = this.#file.query<{ tag: string }, [string]>("select tag from attribution_tags where account_id = ?").all(accountId);
      this.#byAccount.set(accountId, (tags = new Set(rows.map(({ tag }) => tag))));
    }
    return tags;
  }
}
