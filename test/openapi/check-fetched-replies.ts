/** Runs before every test file (bunfig.toml): whatever tests fetch from a gateway that they started is held against its document. */
import { checkedFetch } from "./known-listeners.ts";

globalThis.fetch = checkedFetch(globalThis.fetch);
