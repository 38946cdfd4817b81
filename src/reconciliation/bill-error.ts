/** What is wrong with a bill, and where: whoever sent it has to find the place. */
export class BillError extends Error {
  constructor(problem: string, line?: number, column?: string) {
    const place = [line === undefined ? [] : `line ${line}`, column === undefined ? [] : `column ${column}`].flat().join(", ");
    super(place === "" ? problem : `${place}: ${problem}`);
  }
}
