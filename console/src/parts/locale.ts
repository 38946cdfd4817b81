/**
 * The locale of numbers, money and dates: the languages of the browser, in their order. Words stay English, as the rest of the console is.
 * Outside of a browser (unit tests) there is none.
 */
const LOCALE: readonly string[] = globalThis.navigator?.languages ?? ["en-GB"];

/** A format of dollars, with so many digits after the decimal point. */
export function dollarFormat(fewest: number, most = fewest): Intl.NumberFormat {
  return new Intl.NumberFormat([...LOCALE], {
    style: "currency",
    currency: "USD",
    // "$" in every locale: "US$" beside "$" would look like two currencies.
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: fewest,
    maximumFractionDigits: most,
  });
}

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return new Intl.NumberFormat([...LOCALE], options);
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat([...LOCALE], options);
}
