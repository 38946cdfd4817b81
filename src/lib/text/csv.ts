/** A record of a CSV file, with its first line number. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvOptions {
  readonly maxCells?: number;
  readonly maxCellLength?: number;
  /** Makes the error that is thrown for a problem in a line. */
  readonly fail: (problem: string, line: number) => Error;
}

/**
 * Reads CSV by RFC 4180: cells are separated by commas, quotes are doubled within quotes, lines end in CRLF or LF, and records have equal
 * length. Anything else is rejected instead of guessed: a truncated or malformed file would give plausible but wrong values. Empty lines
 * and a byte order mark are skipped.
 */
export function* readCsv(text: string, options: CsvOptions): Generator<CsvRecord> {
  const reader = new CsvReader(text, options);
  let columns: number | undefined;
  for (let record = reader.read(); record; record = reader.read()) {
    const { line, cells } = record;
    if (cells.length === 1 && cells[0] === "") continue;
    columns ??= cells.length;
    if (cells.length !== columns) throw options.fail(`it has ${cells.length} cells, but the first line has ${columns}`, line);
    yield record;
  }
}

class CsvReader {
  readonly #text: string;
  readonly #options: CsvOptions;
  #at: number;
  #line = 1;

  constructor(text: string, options: CsvOptions) {
    this.#text = text;
    this.#options = options;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  read(): CsvRecord | undefined {
    if (this.#at >= this.#text.length) return undefined;
    const { maxCells, maxCellLength = Infinity, fail } = this.#options;
    const line = this.#line;
    const cells: string[] = [];
    do {
      if (cells.length === maxCells) throw fail(`it has more than ${maxCells} cells`, line);
      const startLine = this.#line;
      const cell = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain();
      if (cell.length > maxCellLength) throw fail(`a cell is longer than ${maxCellLength} characters`, startLine);
      cells.push(cell);
    } while (this.#passComma());
    return { line, cells };
  }

  /** An unquoted cell, up to a comma or the end of its line. */
  #plain(): string {
    const end = /[",\r\n]|$/g;
    end.lastIndex = this.#at;
    const { index } = end.exec(this.#text)!;
    if (this.#text[index] === '"') throw this.#options.fail("an unquoted cell contains a quote", this.#line);
    const cell = this.#text.slice(this.#at, index);
    this.#at = index;
    return cell;
  }

  #quoted(): string {
    let cell = "";
    for (let from = this.#at + 1; ;) {
      const quote = this.#text.indexOf('"', from);
      if (quote < 0) throw this.#options.fail("a quoted cell has no closing quote", this.#line);
      cell += this.#text.slice(from, quote);
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
    const { fail } = this.#options;
    if (next === "\r" && this.#text[this.#at + 1] === "\n") this.#at++;
    else if (next === "\r") throw fail("a carriage return is not followed by a line feed", this.#line);
    else if (next !== "\n" && next !== undefined) throw fail("the closing quote of a cell is followed by other text", this.#line);
    this.#at++;
    this.#line++;
    return false;
  }
}
