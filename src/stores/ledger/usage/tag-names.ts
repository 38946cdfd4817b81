import type { Database as SqliteFile } from "bun:sqlite";
import { tagDimension } from "../../../money/attribution.ts";
import { ownerOf } from "./attributed-owner.ts";

/** The most tags of an account that have rollups. Clients choose the names of tags. */
export const MAX_TAG_NAMES = 100;

/** The tags that an account has used, up to a limit: only these have rollups. */
export class TagNames {
  readonly #file: SqliteFile;
  /** The owners of their series, by account and tag. */
  readonly #byAccount = new Map<string, Map<string, string>>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** The owner of the series of a tag; undefined where it has none. A new tag gets series where the account has not too many. */
  admit(accountId: string, tag: string): string | undefined {
    const tags = this.#tagsOf(accountId);
    const known = tags.get(tag);
    if (known !== undefined || tags.size >= MAX_TAG_NAMES) return known;
    this.#file.query("insert or ignore into attribution_tags (account_id, tag) values (?, ?)").run(accountId, tag);
    const owner = ownerOf(tagDimension(tag), accountId);
    tags.set(tag, owner);
    return owner;
  }

  has(accountId: string, tag: string): boolean {
    return this.#tagsOf(accountId).has(tag);
  }

  #tagsOf(accountId: string): Map<string, string> {
    let tags = this.#byAccount.get(accountId);
    if (!tags) {
      const rows = this.#file.query<{ tag: string }, [string]>("select tag from attribution_tags where account_id = ?").all(accountId);
      this.#byAccount.set(accountId, (tags = new Map(rows.map(({ tag }) => [tag, ownerOf(tagDimension(tag), accountId)]))));
    }
    return tags;
  }
}
