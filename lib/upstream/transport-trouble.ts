/** A call that got no usable answer. */
export type TransportTrouble = {
  kind: 'timeout' | 'unreachable' | 'malformed';
  /** Ends the sentence "The service …". */
  problem: string;
};

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'cannot be found: its host name is unknown',
  EAI_AGAIN: 'cannot be found: the name server does not answer',
  EHOSTUNREACH: 'cannot be reached: no route to its host',
  ENETUNREACH: 'cannot be reached: no network',
  EMFILE: 'cannot be reached: this process has no file descriptor left',
  UND_ERR_SOCKET: 'closed the connection without an answer',
  ECONNRESET: 'closed the connection without an answer',
  EPIPE: 'closed the connection without an answer',
};

/** Names an error of the HTTP layer. Its own message is never used: it may hold addresses or header values. */
export function troubleOf(error: Error, answerBegun: boolean): TransportTrouble {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { kind: 'timeout', problem: 'did not take our connection in time' };
  }
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return { kind: 'malformed', problem: 'does not answer in HTTP as we know it' };
  }
  if (answerBegun) return { kind: 'malformed', problem: 'broke off in the middle of its answer' };
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return { kind: 'malformed', problem: 'promised one length of its answer and sent another' };
  }
  if (/CERT|TLS|SSL|^EPROTO$/.test(code)) {
    return {
      kind: 'unreachable',
      problem: 'cannot be reached: no secure connection, its certificate or TLS version is not accepted',
    };
  }
  return { kind: 'unreachable', problem: UNREACHABLE[code] ?? 'cannot be reached' };
}

/** True for the ways in which a connection ends under a request. */
export function isConnectionEnd(error: Error): boolean {
  return 'code' in error && /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/.test(String(error.code));
}
