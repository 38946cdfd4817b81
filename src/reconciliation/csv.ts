import { BillError } from "./bill-error.ts";

/** A record of a CSV file, with its first line number. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

const MAX_RECORDS = 200_000;
const MAX_COLUMNS = 200;
const MAX_CELL_LENGTH = 10_000;

/**
 * Reads CSV by RFC 4180: cells are separated by commas, quotes are doubled within quotes, lines end in CRLF or LF, and records have equal
 * length. Anything else is rejected instead of guessed: a truncated or malformed file would give plausible but wrong sums. Empty lines and
 * a byte order mark are skipped.
 */
export function* readCsv(text: string): Generator<CsvRecord> {
  const reader = new CsvReader(text);
  let columns: number | undefined;
  for (let records = 0; ;) {
    const record = reader.read();
    if (!record) return;
    const { line, cells } = record;
    if (cells.length === 1 && cells[0] === "") continue;
    columns ??= cells.length;
    if (cells.length !== columns) throw new BillError(`it has ${cells.length} cells, but the first line has ${columns}`, line);
    if (++records > MAX_RECORDS) throw new BillError(`there are more than ${MAX_RECORDS} records: export fewer days or groups`, line);
    yield record;
  }
}

class CsvReader {
  readonly #text: string;
  #at: number;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  read(): CsvRecord | undefined {
    if (this.#at >= this.#text.length) return undefined;
    const line = this.#line;
    const cells: string[] = [];
    do {
      if (cells.length === MAX_COLUMNS) throw new BillError(`it has more than ${MAX_COLUMNS} cells`, line);
      cells.push(this.#text[this.#at] === '"' ? this.#quoted() : this.#plain());
    } while (this.#passComma());
    return { line, cells };
  }

  /** An unquoted cell, up to a comma or the end of its line. */
  #plain(): string {
    const from = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]!;
      if (character === "," || character === "\r" || character === "\n") break;
      if (character === '"') throw new BillError("an unquoted cell contains a quote", this.#line);
      if (this.#at - from >= MAX_CELL_LENGTH) throw this.#tooLong();
    }
    return this.#text.slice(from, this.#at);
  }

  #quoted(): string {
    const openedIn = this.#line;
    let cell = "";
    for (let from = this.#at + 1; ;) {
      const quote = this.#text.indexOf('"', from);
      if (quote < 0) throw new BillError("a quoted cell has no closing quote", openedIn);
      cell += this.#text.slice(from, quote);
      if (cell.length > MAX_CELL_LENGTH) throw this.#tooLong();
      this.#at = quote + 1;
      if (this.#text[this.#at] !== '"') break;
      cell += '"';
      from = this.#at + 1;
    }
    this.#line += cell.split("\n").length - 1;
    return cell;
  }

  /** Advances to the next cell or, at the end of the record, to the next line. */
  #passComma(): boolean {
    const next = this.#text[this.#at];
    if (next === ",") {
      this.#at++;
      return true;
    }
    if (next === "\r" && this.#text[this.#at + 1] === "\n") this.#at++;
    else if (next === "\r") throw new BillError("a carriage return is not followed by a line feed", this.#line);
    else if (next !== "\n" && next !== undefined) throw new BillError("the closing quote of a cell is followed by other text", this.#line);
    this.#at++;
    this.#line++;
    return false;
  }

  #tooLong(): BillError {
    return new BillError(`a cell is longer than ${MAX_CELL_LENGTH} characters`, this.#line);
  }
}
