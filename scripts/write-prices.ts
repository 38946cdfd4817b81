/** Writes the prices of models that have none of their own. A test fails while they and the package disagree. */
import { defaultPricesText, licenceText } from "./convert-prices.ts";

const FOLDER = new URL("../src/models/prices/", import.meta.url);

await Bun.write(new URL("default-prices.json", FOLDER), await defaultPricesText());
await Bun.write(new URL("default-prices.LICENSE", FOLDER), await licenceText());
