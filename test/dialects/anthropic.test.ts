import { afterAll } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { configOf, SCRIPTS } from "./anthropic-scripts.ts";
import { CREDENTIAL, startAnthropicServer } from "./anthropic-server.ts";
import { describeAnthropicClients } from "./anthropic-suite.ts";

const server = startAnthropicServer(SCRIPTS);
const gateway = await startGateway({ yaml: configOf(server.baseUrl, CREDENTIAL) });
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

describeAnthropicClients({ server, gateway, apiKey, credential: CREDENTIAL });
