/**
 * Runs before each test file (bunfig.toml): the time limit of a test and of a hook, in place of Bun's 5 s, which a start of the gateway
 * or a build can exceed on a busy machine. Bun resets it for the second file of a process, unless it is run with `--parallel` or `--isolate`.
 */
import { setDefaultTimeout } from "bun:test";
import { isLong } from "./long.ts";
import { TEST_LIMIT_MS } from "./wait-limit.ts";

setDefaultTimeout(isLong ? 12 * TEST_LIMIT_MS : TEST_LIMIT_MS);
