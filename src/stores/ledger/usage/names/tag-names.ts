import type { Database as SqliteFile } from "bun:sqlite";
import { tagDimension } from "../../../../money/attribution.ts";
import { ownerOf } from "../attributed-owner.ts";

/** The maximum number of tags with rollups, for an account and day. Clients choose the names of tags. */
export const MAX_TAG_NAMES = 100;

/** The tags of an account on one day. */
interface TagsOfDay {
  readonly day: number;
  /** The owners of the tags' series. */
  readonly owners: Map<string, string>;
}

/** The tags that an account has used on a day, up to a limit: only these tags have rollups. */
export class TagNames {
  readonly #file: SqliteFile;
  /** The day that was requested last: nearly all entries are of today. */
  readonly #byAccount = new Map<string, TagsOfDay>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** The owner of the series of a tag; undefined if it has none. A new tag gets series unless the day has too many tags. */
  admit(accountId: string, day: number, tag: string): string | undefined {
    const owners = this.#ownersOf(accountId, day);
    const known = owners.get(tag);
    if (known !== undefined || owners.size >= MAX_TAG_NAMES) return known;
    const insert = "insert or ignore into attribution_tag_days (account_id, day, tag) values (?, ?, ?)";
    this.#file.query(insert).run(accountId, day, tag);
    const owner = ownerOf(tagDimension(tag), accountId);
    owners.set(tag, owner);
    return owner;
  }

  has(accountId: string, day: number, tag: string): boolean {
    return this.#ownersOf(accountId, day).has(tag);
  }

  /** The first tags of an account, by name, since a day. */
  since(accountId: string, day: number): string[] {
    const sql = `select distinct tag from attribution_tag_days where account_id = ? and day >= ? order by tag limit ${MAX_TAG_NAMES}`;
    const rows = this.#file.query<{ tag: string }, [string, number]>(sql).all(accountId, day);
    return rows.map(({ tag }) => tag);
  }

  #ownersOf(accountId: string, day: number): Map<string, string> {
    let tags = this.#byAccount.get(accountId);
    if (tags?.day !== day) this.#byAccount.set(accountId, (tags = this.#read(accountId, day)));
    return tags.owners;
  }

  #read(accountId: string, day: number): TagsOfDay {
    const sql = "select tag from attribution_tag_days where account_id = ? and day = ?";
    const rows = this.#file.query<{ tag: string }, [string, number]>(sql).all(accountId, day);
    return { day, owners: new Map(rows.map(({ tag }) => [tag, ownerOf(tagDimension(tag), accountId)])) };
  }
}
