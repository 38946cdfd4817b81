/** A problem with a bill, with its position in the file. */
export class BillError extends Error {
  constructor(problem: string, line?: number, column?: string) {
    const place = [line === undefined ? [] : `line ${line}`, column === undefined ? [] : `column ${column}`].flat().join(", ");
    super(place === "" ? problem : `${place}: ${problem}`);
  }
}
