/** Writes the types of the platform API, which the console and the command line share. A test fails while they and the description disagree. */
import { platformDocument } from "../src/openapi.ts";
import { platformTypes, type Description } from "./platform-types.ts";

const document = JSON.parse(JSON.stringify(platformDocument())) as Description;
await Bun.write(new URL("../platform-client/types.ts", import.meta.url), platformTypes(document));
