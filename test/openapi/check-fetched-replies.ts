/**
 * Runs before every test file (bunfig.toml): every reply that tests fetch from a gateway that they started is checked against its OpenAPI
 * document.
 */
import { checkedFetch } from "./known-listeners.ts";

globalThis.fetch = checkedFetch(globalThis.fetch);
