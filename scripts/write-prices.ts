/** Writes the default prices of models. A test fails when they are out of date. */
import { defaultPricesText, licenceText } from "./convert-prices.ts";

const FOLDER = new URL("../src/models/prices/", import.meta.url);

await Bun.write(new URL("default-prices.json", FOLDER), await defaultPricesText());
await Bun.write(new URL("default-prices.LICENSE", FOLDER), await licenceText());
