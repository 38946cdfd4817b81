import { BillError } from "./bill-error.ts";

/** A record of a CSV file, and the line that it begins in. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

const MAX_RECORDS = 200_000;
const MAX_COLUMNS = 200;
const MAX_CELL_LENGTH = 10_000;

/**
 * Reads CSV as RFC 4180 has it: commas, quotes that are doubled within quotes, lines that end in CRLF or LF, and every record
 * as long as the first. What is not so is refused, and not guessed at: a file that was cut off, or that a program has put
 * together wrongly, would give sums that look right. Empty lines are passed over, and so is a byte order mark.
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
    if (cells.length !== columns) throw new BillError(`it has ${cells.length} cells, and the first line has ${columns}`, line);
    if (++records > MAX_RECORDS) throw new BillError(`there are more than ${MAX_RECORDS} records: ask for fewer days or groups`, line);
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

  /** A cell as it stands, up to a comma or the end of its line. */
  #plain(): string {
    const from = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]!;
      if (character === "," || character === "\r" || character === "\n") break;
      if (character === '"') throw new BillError("a quote stands within a cell that is not in quotes", this.#line);
      if (this.#at - from >= MAX_CELL_LENGTH) throw this.#tooLong();
    }
    return this.#text.slice(from, this.#at);
  }

  #quoted(): string {
    const openedIn = this.#line;
    let cell = "";
    for (let from = this.#at + 1; ;) {
      const quote = this.#text.indexOf('"', from);
      if (quote < 0) throw new BillError("a cell begins with a quote, and there is none at its end", openedIn);
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

  /** Goes on to the next cell, or, where the record is over, to the next line. */
  #passComma(): boolean {
    const next = this.#text[this.#at];
    if (next === ",") {
      this.#at++;
      return true;
    }
    if (next === "\r" && this.#text[this.#at + 1] === "\n") this.#at++;
    else if (next === "\r") throw new BillError("a carriage return has no line feed behind it", this.#line);
    else if (next !== "\n" && next !== undefined) throw new BillError("something stands behind the closing quote of a cell", this.#line);
    this.#at++;
    this.#line++;
    return false;
  }

  #tooLong(): BillError {
    return new BillError(`a cell is longer than ${MAX_CELL_LENGTH} characters`, this.#line);
  }
}
