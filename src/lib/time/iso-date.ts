const SHAPE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The time of a date such as `2027-01-31` or `2027-01-31T12:00:00Z`; undefined if it is invalid. */
export function parseIsoDate(text: string): number | undefined {
  const day = SHAPE.exec(text)?.[1];
  const ms = Date.parse(text);
  // Date.parse reads the 30th of February as the 2nd of March.
  if (day === undefined || Number.isNaN(ms) || new Date(day).toISOString().slice(0, 10) !== day) return undefined;
  return ms;
}

/** Whether the text has the form of a date, but its day or time does not exist, such as `2027-02-30`. */
export function isImpossibleDate(text: string): boolean {
  return SHAPE.test(text) && parseIsoDate(text) === undefined;
}
