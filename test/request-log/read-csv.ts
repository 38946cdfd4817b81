/** The rows of a CSV file, parsed strictly by the grammar of RFC 4180: any deviation is an error. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    const [field, end] = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    row.push(field);
    if (text[end] === ",") {
      at = end + 1;
      continue;
    }
    if (text.slice(end, end + 2) !== "\r\n") throw new Error(`Neither a comma nor the end of a line at ${end}`);
    rows.push(row);
    row = [];
    at = end + 2;
  }
  if (row.length > 0) throw new Error("The last line does not end");
  if (rows.some((each) => each.length !== rows[0]!.length)) throw new Error("The rows differ in length");
  return rows;
}

function readQuoted(text: string, start: number): [field: string, end: number] {
  let field = "";
  for (let at = start + 1; ; at++) {
    if (at >= text.length) throw new Error(`The quotation that begins at ${start} does not end`);
    if (text[at] !== '"') field += text[at];
    else if (text[at + 1] === '"') field += text[at++];
    else return [field, at + 1];
  }
}

function readPlain(text: string, start: number): [field: string, end: number] {
  const pattern = /[^",\r\n]*/y;
  pattern.lastIndex = start;
  const [field] = pattern.exec(text)!;
  return [field, start + field.length];
}
