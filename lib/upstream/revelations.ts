import type { HttpService } from './http-service';
import { isJsonObject, jsonBodyCheck } from './json-body';

/** Names of chains; nothing else may become part of a path. */
const CHAIN_NAME = /^[A-Za-z0-9._-]{1,100}$/;
const MAX_BYTES = 64 * 1024;

/** 32 bytes. Undefined for any failure: not every deployment has the route, and it serves only open requests. */
type FetchRevelation = (chainName: string, sequence: string) => Promise<`0x${string}` | undefined>;

/** @param http separate from the log's client, so that rejections do not affect the health of the log service */
export function createRevelationClient(http: HttpService): {
  http: HttpService;
  revelation: FetchRevelation;
} {
  const revelation: FetchRevelation = async (chainName, sequence) => {
    if (!CHAIN_NAME.test(chainName) || !/^\d{1,20}$/.test(sequence)) return undefined;
    const answer = await http.call({
      method: 'GET',
      path: `/v1/chains/${chainName}/revelations/${sequence}`,
      route: '/v1/chains/{chain}/revelations/{sequence}',
      priority: 'user',
      maxBytes: MAX_BYTES,
      check: jsonBodyCheck(isJsonObject, 'it is no revelation'),
    });
    return answer.ok ? readRevelation(answer.value.text) : undefined;
  };
  return { http, revelation };
}

function readRevelation(text: string): `0x${string}` | undefined {
  const { value }: Record<string, unknown> = JSON.parse(text);
  const data = isJsonObject(value) && value.encoding === 'hex' ? value.data : undefined;
  const [, digits] = typeof data === 'string' ? (/^(?:0x)?([0-9a-f]{64})$/i.exec(data) ?? []) : [];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}
