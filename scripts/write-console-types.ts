/** Writes what the console knows of the platform's interface. A test fails while it and the description disagree. */
import { platformDocument } from "../src/openapi.ts";
import { consoleTypes, type Description } from "./console-types.ts";

const document = JSON.parse(JSON.stringify(platformDocument())) as Description;
await Bun.write(new URL("../console/src/platform/interface.ts", import.meta.url), consoleTypes(document));
